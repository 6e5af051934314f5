"""Every statement the store runs, once. Tables and views are in migrations/.

Text reaches DuckDB as one JSON list that the integer columns of a batch point into (see rows.py):
`text(code)` is NULL for code 0. Object arrays of strings are not used: without pandas, DuckDB 1.5
spends 200 times longer on them and refuses None in them.
"""

from __future__ import annotations

BEGIN = "BEGIN TRANSACTION"
COMMIT = "COMMIT"
CHECKPOINT = "CHECKPOINT"

HAS_SCHEMA_TABLE = """
SELECT 1 FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = 'main' AND table_name = 'perftrack_schema'
"""
SCHEMA_VERSION = "SELECT max(version) FROM perftrack_schema"
INSERT_MIGRATION = "INSERT INTO perftrack_schema VALUES ($1, $2, $3)"

# Writing ------------------------------------------------------------------------------------------

SET_TEXTS = """SET VARIABLE texts = from_json($1, '["VARCHAR"]')"""
TEXT_MACRO = "CREATE OR REPLACE TEMP MACRO text(code) AS list_extract(getvariable('texts'), code)"

HAS_RUN = "SELECT 1 FROM runs WHERE run_id = $1"

INSERT_COMMITS = """
INSERT INTO commits
SELECT n.sha, CASE WHEN n.parents = '' THEN [] ELSE string_split(n.parents, ' ') END,
       n.author, n.author_time_s, n.commit_time_s, n.subject
FROM (
    SELECT text(sha) AS sha, text(parents) AS parents, text(author) AS author,
           author_time_s, commit_time_s, text(subject) AS subject
    FROM incoming_commits
) n
ANTI JOIN commits c ON c.sha = n.sha
"""

INSERT_FINGERPRINTS = """
INSERT INTO fingerprints
SELECT n.fingerprint_id, n.key_id, n.fields
FROM (
    SELECT text(fingerprint_id) AS fingerprint_id, text(key_id) AS key_id, text(fields) AS fields
    FROM incoming_fingerprints
) n
ANTI JOIN fingerprints f ON f.fingerprint_id = n.fingerprint_id
"""

INSERT_CASES = """
INSERT INTO cases
SELECT n.case_key, n.case_id, n.benchmark, n.params
FROM (
    SELECT text(case_key) AS case_key, text(case_id) AS case_id, text(benchmark) AS benchmark,
           text(params) AS params
    FROM incoming_cases
) n
ANTI JOIN cases c ON c.case_key = n.case_key
"""

INSERT_RUN = """
INSERT INTO runs VALUES (
    $run_id, $sha, $started_at_s, $duration_s, $seed, $dirty, $limitations, $perftrack_version, $host, $label,
    $settings
)
"""

INSERT_MEASUREMENTS = """
INSERT INTO measurements
SELECT $run_id, measurement_no, text(case_key), text(param_order), text(metric), text(unit), text(direction),
       text(status), text(timer), text(cache), protocol_version, text(lane_id), text(fingerprint_id), text(tier),
       value, interval_lo, interval_hi, text(reasons), text(limitations), threshold, flops, bytes_moved,
       text(tags), text(source), text(code_hash), text(output), process_count, within_variance
FROM incoming_measurements
ORDER BY measurement_no
"""

INSERT_PROCESSES = """
INSERT INTO processes
SELECT $run_id, measurement_no, process_no, process_index, inner_reps, warmup_calls, warmup_s, resolution_s,
       text(notes)
FROM incoming_processes
ORDER BY measurement_no, process_no
"""

INSERT_WINDOWS = """
INSERT INTO windows
SELECT $run_id, w.measurement_no, w.process_no, w.window_no, coalesce(s.list, []), coalesce(k.list, []),
       CASE WHEN w.has_event_reasons THEN w.event_reasons END,
       w.throttle_s, w.power_w, w.energy_j, w.temperature_c, w.host_s
FROM incoming_windows w
LEFT JOIN (SELECT row_no, list(value ORDER BY item_no) AS list FROM incoming_samples GROUP BY row_no) s
    ON s.row_no = w.row_no
LEFT JOIN (SELECT row_no, list(value ORDER BY item_no) AS list FROM incoming_clocks GROUP BY row_no) k
    ON k.row_no = w.row_no
ORDER BY w.row_no
"""

# Reading ------------------------------------------------------------------------------------------

RUNS = """
SELECT run_id, sha, started_at_s, duration_s, dirty, host, label, perftrack_version, limitations,
       ok, failed, skipped
FROM v_runs
WHERE $1 IS NULL OR sha = $1
ORDER BY started_at_s DESC, run_id DESC
"""
RUN_IDS = "SELECT run_id FROM runs WHERE starts_with(run_id, $1) ORDER BY run_id LIMIT 6"
RUN = """
SELECT sha, started_at_s, duration_s, seed, dirty, limitations, perftrack_version, host, label, settings
FROM runs WHERE run_id = $1
"""

# Measurements are read in two steps: pick them, then fetch what belongs to the picked ones.
PICK_RUN = """
CREATE OR REPLACE TEMP TABLE picked AS
SELECT run_id, measurement_no, measurement_no AS pick_no FROM measurements WHERE run_id = $1
"""
PICK_LATEST = """
CREATE OR REPLACE TEMP TABLE picked AS
SELECT run_id, measurement_no,
       row_number() OVER (ORDER BY started_at_s DESC, run_id DESC, measurement_no) AS pick_no
FROM v_latest WHERE sha = $1 AND dirty = $2
"""
PICKED_MEASUREMENTS = """
SELECT p.pick_no, c.benchmark, c.params, m.param_order, m.metric, m.unit, m.direction, m.status,
       m.timer, m.cache, m.protocol_version, m.tier, m.fingerprint_id, m.value, m.interval_lo, m.interval_hi,
       m.reasons, m.limitations, m.threshold, m.flops, m.bytes_moved, m.tags, m.source, m.code_hash, m.output
FROM picked p
JOIN measurements m ON m.run_id = p.run_id AND m.measurement_no = p.measurement_no
JOIN cases c ON c.case_key = m.case_key
ORDER BY p.pick_no
"""
PICKED_PROCESSES = """
SELECT p.pick_no, s.process_no, s.process_index, s.inner_reps, s.warmup_calls, s.warmup_s, s.resolution_s, s.notes
FROM picked p
JOIN processes s ON s.run_id = p.run_id AND s.measurement_no = p.measurement_no
ORDER BY p.pick_no, s.process_no
"""
PICKED_WINDOWS = """
SELECT p.pick_no, w.process_no, w.samples, w.clock_mhz, w.event_reasons, w.throttle_s, w.power_w, w.energy_j,
       w.temperature_c, w.host_s
FROM picked p
JOIN windows w ON w.run_id = p.run_id AND w.measurement_no = p.measurement_no
ORDER BY p.pick_no, w.process_no, w.window_no
"""
PICKED_FINGERPRINTS = """
SELECT fingerprint_id, fields FROM fingerprints
WHERE fingerprint_id IN (
    SELECT m.fingerprint_id
    FROM picked p JOIN measurements m ON m.run_id = p.run_id AND m.measurement_no = p.measurement_no
)
"""

# Series are read as numbers: which series, which run, which facet (all that few texts tell apart).
# What a series is called comes from its newest measurement.
PICK_SERIES = """
CREATE OR REPLACE TEMP TABLE picked_series AS
SELECT row_number() OVER (ORDER BY benchmark, measurement_no, case_key, metric) - 1 AS series_no,
       case_key, metric, benchmark, params, param_order, unit, direction, tags, source, threshold
FROM (
    SELECT * FROM v_history
    WHERE ($cases IS NULL OR list_contains($cases, case_id))
      AND ($benchmarks IS NULL OR list_contains($benchmarks, benchmark))
    QUALIFY row_number() OVER (
        PARTITION BY case_key, metric ORDER BY started_at_s DESC, run_id DESC, measurement_no DESC
    ) = 1
)
"""
PICK_SERIES_RUNS = """
CREATE OR REPLACE TEMP TABLE picked_runs AS
SELECT row_number() OVER (ORDER BY started_at_s, run_id) - 1 AS run_no, run_id, sha, started_at_s, dirty FROM runs
"""
PICK_SERIES_FACETS = """
CREATE OR REPLACE TEMP TABLE picked_facets AS
SELECT row_number() OVER () - 1 AS facet_no, status, tier, lane_id, reasons, limitations, code_hash
FROM (
    SELECT DISTINCT m.status, m.tier, m.lane_id, m.reasons, m.limitations, m.code_hash
    FROM measurements m SEMI JOIN picked_series s ON s.case_key = m.case_key AND s.metric = m.metric
)
"""
SERIES = """
SELECT benchmark, params, param_order, metric, unit, direction, tags, source, threshold
FROM picked_series ORDER BY series_no
"""
SERIES_RUNS = "SELECT run_id, sha, started_at_s, dirty FROM picked_runs ORDER BY run_no"
SERIES_FACETS = """
SELECT status, tier, lane_id, reasons, limitations, code_hash FROM picked_facets ORDER BY facet_no
"""
SERIES_POINTS = """
SELECT s.series_no, r.run_no, f.facet_no, m.process_count,
       coalesce(m.value, 'nan') AS value, coalesce(m.interval_lo, 'nan') AS interval_lo,
       coalesce(m.interval_hi, 'nan') AS interval_hi, coalesce(m.within_variance, 'nan') AS within_variance
FROM measurements m
JOIN picked_series s ON s.case_key = m.case_key AND s.metric = m.metric
JOIN picked_runs r ON r.run_id = m.run_id
JOIN picked_facets f ON f.status = m.status AND f.tier = m.tier AND f.lane_id = m.lane_id
    AND f.reasons = m.reasons AND f.limitations = m.limitations AND f.code_hash = m.code_hash
ORDER BY s.series_no, r.run_no, m.measurement_no
"""

COMMITS = """
SELECT sha, parents, author, author_time_s, commit_time_s, subject FROM commits ORDER BY commit_time_s, sha
"""
# Ceilings are of an environment, not of the commit that they are stored under.
_OWN_MEASUREMENTS = """
    SELECT m.run_id, m.fingerprint_id, m.lane_id, m.status, c.case_id
    FROM measurements m JOIN cases c ON c.case_key = m.case_key
    WHERE NOT (c.benchmark = $ceiling AND list_contains($definitions, coalesce(c.params->>'definition', '')))
"""
# Commits with a benchmark that succeeded: of their own code alone, or also of changes to it; in some lanes or any.
MEASURED_SHAS = f"""
SELECT DISTINCT r.sha
FROM runs r SEMI JOIN ({_OWN_MEASUREMENTS}) m
    ON m.run_id = r.run_id AND m.status = 'ok' AND ($lanes IS NULL OR list_contains($lanes, m.lane_id))
WHERE NOT ($clean AND r.dirty)
"""
# Per run of a commit's own code, and environment in it: the cases that need no measuring any more.
COVERED = f"""
SELECT r.run_id, r.sha, coalesce(r.settings->>'machine', '') AS machine, m.fingerprint_id,
       coalesce(list(DISTINCT m.case_id ORDER BY m.case_id) FILTER (m.status IN ('ok', 'skipped')), []) AS cases
FROM runs r
LEFT JOIN ({_OWN_MEASUREMENTS}) m ON m.run_id = r.run_id
WHERE NOT r.dirty AND (m.run_id IS NOT NULL OR NOT EXISTS (FROM measurements x WHERE x.run_id = r.run_id))
GROUP BY r.run_id, r.sha, machine, m.fingerprint_id
ORDER BY r.run_id, m.fingerprint_id
"""
FINGERPRINTS = "SELECT fingerprint_id, fields FROM fingerprints ORDER BY fingerprint_id"
# What the newest measurement that declares any work of a case and metric declares of it.
DECLARED_WORK = """
SELECT c.case_id, m.metric, m.flops, m.bytes_moved, m.cache
FROM measurements m
JOIN runs r ON r.run_id = m.run_id
JOIN cases c ON c.case_key = m.case_key
WHERE m.flops IS NOT NULL OR m.bytes_moved IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY m.case_key, m.metric ORDER BY r.started_at_s DESC, r.run_id DESC, m.measurement_no DESC
) = 1
"""
# Earlier names of benchmarks, as the newest recording of a suite has them: null where it declares none.
RECORDED_ALIASES = """
SELECT settings->>'aliases' FROM runs WHERE json_exists(settings, '$.aliases')
ORDER BY started_at_s DESC, run_id DESC LIMIT 1
"""
CASE_IDS = "SELECT DISTINCT case_id FROM cases ORDER BY case_id"
