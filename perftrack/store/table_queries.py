"""What reads the points of every series at once, and the lanes that they are in (store.table)."""

from __future__ import annotations

TABLE_RUNS = """
CREATE OR REPLACE TEMP TABLE table_runs AS
SELECT row_number() OVER (ORDER BY started_at_s, run_id) - 1 AS run_no, run_id, sha, started_at_s, dirty FROM runs
"""
# What a series is called comes from its newest measurement, which the largest of (run, measurement) names: a
# window over rows with all of their texts takes ten times as long.
TABLE_SERIES = """
CREATE OR REPLACE TEMP TABLE table_series AS
SELECT row_number() OVER (ORDER BY case_key, metric) - 1 AS series_no, case_key, metric, newest
FROM (
    SELECT m.case_key, m.metric, max((r.run_no << 32) + m.measurement_no) AS newest
    FROM measurements m JOIN table_runs r ON r.run_id = m.run_id
    GROUP BY m.case_key, m.metric
)
"""
TABLE_FACETS = """
CREATE OR REPLACE TEMP TABLE table_facets AS
SELECT row_number() OVER (ORDER BY status, tier, lane_id, code_hash, reasons, limitations) - 1 AS facet_no, *
FROM (SELECT DISTINCT status, tier, lane_id, reasons, limitations, code_hash FROM measurements)
"""
TABLE_HEADS = """
SELECT c.benchmark, c.params, m.param_order, m.metric, m.unit, m.direction, m.tags, m.source, m.threshold
FROM table_series s
JOIN table_runs r ON r.run_no = s.newest >> 32
JOIN measurements m ON m.run_id = r.run_id AND m.measurement_no = s.newest & 4294967295
JOIN cases c ON c.case_key = m.case_key
ORDER BY s.series_no
"""
TABLE_POINTS = """
SELECT s.series_no::INTEGER AS series, r.run_no::INTEGER AS run, f.facet_no::INTEGER AS facet,
       (r.run_no << 20) + least(m.measurement_no, 1048575) AS place,
       coalesce(m.value, 'nan') AS value,
       coalesce(m.interval_lo, 'nan') AS lo, coalesce(m.interval_hi, 'nan') AS hi,
       coalesce(m.within_variance, 'nan') AS within, m.process_count AS processes
FROM measurements m
JOIN table_series s ON s.case_key = m.case_key AND s.metric = m.metric
JOIN table_runs r ON r.run_id = m.run_id
JOIN table_facets f ON f.status = m.status AND f.tier = m.tier AND f.lane_id = m.lane_id
    AND f.reasons = m.reasons AND f.limitations = m.limitations AND f.code_hash = m.code_hash
"""
RUNS = "SELECT run_id, sha, started_at_s, dirty FROM table_runs ORDER BY run_no"
FACETS = "SELECT status, tier, lane_id, reasons, limitations, code_hash FROM table_facets ORDER BY facet_no"

# As v_lanes has them, whose aggregates of texts take three times as long.
LANES = """
WITH ordered AS (
    SELECT row_number() OVER (ORDER BY started_at_s, run_id) AS run_no, run_id, started_at_s FROM runs
), lanes AS (
    SELECT m.lane_id, max((o.run_no << 32) + m.measurement_no) AS newest, min(o.started_at_s) AS first_started_at_s
    FROM measurements m JOIN ordered o ON o.run_id = m.run_id
    WHERE m.lane_id <> ''
    GROUP BY m.lane_id
)
SELECT l.lane_id, f.fields, m.timer, m.cache, m.protocol_version
FROM lanes l
JOIN ordered o ON o.run_no = l.newest >> 32
JOIN measurements m ON m.run_id = o.run_id AND m.measurement_no = l.newest & 4294967295
JOIN fingerprints f ON f.fingerprint_id = m.fingerprint_id
ORDER BY l.first_started_at_s, l.lane_id
"""

SETTINGS = "SELECT run_id, settings FROM runs"
ENVIRONMENTS = """
SELECT run_id, fingerprint_id, list(lane_id ORDER BY lane_id)
FROM (SELECT DISTINCT run_id, fingerprint_id, lane_id FROM measurements WHERE fingerprint_id IS NOT NULL)
GROUP BY run_id, fingerprint_id ORDER BY run_id, fingerprint_id
"""
OUTPUTS = """
SELECT m.run_id, c.benchmark, c.params, m.param_order, m.metric, m.output
FROM measurements m JOIN cases c ON c.case_key = m.case_key
WHERE m.output <> '' AND m.status <> 'ok' ORDER BY m.run_id, m.measurement_no
"""
SAMPLED = "SELECT DISTINCT run_id FROM processes"
