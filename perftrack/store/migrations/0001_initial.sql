-- The store's tables and views. Names are the glossary's words; a unit other than the base unit of the
-- measured quantity is a suffix. No primary keys: they make every checkpoint slower by an order of
-- magnitude, so writers deduplicate by anti-join under the store's lock.

CREATE TABLE perftrack_schema (
    version INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    applied_by VARCHAR NOT NULL
);
COMMENT ON TABLE perftrack_schema IS 'Migrations applied to this file, and the perftrack version that applied each';

CREATE TABLE commits (
    sha VARCHAR NOT NULL,
    parents VARCHAR[] NOT NULL,
    author VARCHAR NOT NULL,
    author_time_s BIGINT NOT NULL,
    commit_time_s BIGINT NOT NULL,
    subject VARCHAR NOT NULL
);
COMMENT ON TABLE commits IS 'Commits as history showed them when they were recorded; times are unix seconds';

CREATE TABLE fingerprints (
    fingerprint_id VARCHAR NOT NULL,
    key_id VARCHAR NOT NULL,
    fields JSON NOT NULL
);
COMMENT ON TABLE fingerprints IS 'Environments; equal key_id means that measurements may be compared. An absent field is left out, {"unknown": true} could not be read';

CREATE TABLE runs (
    run_id VARCHAR NOT NULL,
    sha VARCHAR NOT NULL,
    started_at_s DOUBLE NOT NULL,
    duration_s DOUBLE NOT NULL,
    seed HUGEINT NOT NULL,
    dirty BOOLEAN NOT NULL,
    limitations JSON NOT NULL,
    perftrack_version VARCHAR NOT NULL,
    host VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    settings JSON NOT NULL
);
COMMENT ON TABLE runs IS 'One row per recording of one commit in one environment; run_id is the hash of its content';

CREATE TABLE cases (
    case_key VARCHAR NOT NULL,
    case_id VARCHAR NOT NULL,
    benchmark VARCHAR NOT NULL,
    params JSON NOT NULL
);
COMMENT ON TABLE cases IS 'Benchmarks with one combination of parameters each; params is an object with sorted keys';

CREATE TABLE measurements (
    run_id VARCHAR NOT NULL,
    measurement_no INTEGER NOT NULL,
    case_key VARCHAR NOT NULL,
    param_order JSON NOT NULL,
    metric VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    direction VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    timer VARCHAR NOT NULL,
    cache VARCHAR NOT NULL,
    protocol_version INTEGER NOT NULL,
    lane_id VARCHAR NOT NULL,
    fingerprint_id VARCHAR,
    tier VARCHAR NOT NULL,
    value DOUBLE,
    interval_lo DOUBLE,
    interval_hi DOUBLE,
    reasons JSON NOT NULL,
    limitations JSON NOT NULL,
    threshold DOUBLE,
    flops DOUBLE,
    bytes_moved DOUBLE,
    tags JSON NOT NULL,
    source VARCHAR NOT NULL,
    code_hash VARCHAR NOT NULL,
    output VARCHAR NOT NULL,
    process_count INTEGER NOT NULL,
    within_variance DOUBLE
);
COMMENT ON TABLE measurements IS 'One metric of one case in one run; value and interval are in unit, lane_id is empty without an environment';
COMMENT ON COLUMN measurements.within_variance IS 'Variance of ln(value) that the run''s own processes explain: variance of ln(process value) over their count';
COMMENT ON COLUMN measurements.param_order IS 'Names of the parameters as declared; cases.params has them sorted';

CREATE TABLE processes (
    run_id VARCHAR NOT NULL,
    measurement_no INTEGER NOT NULL,
    process_no INTEGER NOT NULL,
    process_index BIGINT NOT NULL,
    inner_reps BIGINT NOT NULL,
    warmup_calls BIGINT NOT NULL,
    warmup_s DOUBLE NOT NULL,
    resolution_s DOUBLE NOT NULL,
    notes JSON NOT NULL
);
COMMENT ON TABLE processes IS 'One row per worker process of a measurement';

CREATE TABLE windows (
    run_id VARCHAR NOT NULL,
    measurement_no INTEGER NOT NULL,
    process_no INTEGER NOT NULL,
    window_no INTEGER NOT NULL,
    samples DOUBLE[] NOT NULL,
    clock_mhz DOUBLE[] NOT NULL,
    event_reasons UBIGINT,
    throttle_s DOUBLE,
    power_w DOUBLE,
    energy_j DOUBLE,
    temperature_c DOUBLE,
    host_s DOUBLE
);
COMMENT ON TABLE windows IS 'One row per window: its samples in the measurement''s unit, and the telemetry around it; NULL was not read';

CREATE VIEW v_runs AS
SELECT r.run_id, r.sha, r.started_at_s, r.duration_s, r.dirty, r.host, r.label, r.perftrack_version, r.limitations,
       coalesce(n.ok, 0) AS ok, coalesce(n.failed, 0) AS failed, coalesce(n.skipped, 0) AS skipped
FROM runs r
LEFT JOIN (
    SELECT run_id,
           count(*) FILTER (status = 'ok') AS ok,
           count(*) FILTER (status = 'failed') AS failed,
           count(*) FILTER (status = 'skipped') AS skipped
    FROM measurements GROUP BY run_id
) n ON n.run_id = r.run_id;
COMMENT ON VIEW v_runs IS 'What was recorded, when, where, and how many measurements of it are ok, failed and skipped?';

CREATE VIEW v_history AS
SELECT r.sha, r.run_id, r.started_at_s, r.dirty, m.measurement_no,
       c.case_key, c.case_id, c.benchmark, c.params, m.param_order,
       m.metric, m.unit, m.direction, m.status, m.value, m.interval_lo, m.interval_hi,
       m.tier, m.reasons, m.limitations, m.lane_id, m.fingerprint_id,
       m.timer, m.cache, m.protocol_version, m.process_count, m.within_variance,
       m.threshold, m.tags, m.source,
       k.commit_time_s, k.author, k.subject
FROM measurements m
JOIN runs r ON r.run_id = m.run_id
JOIN cases c ON c.case_key = m.case_key
LEFT JOIN commits k ON k.sha = r.sha;
COMMENT ON VIEW v_history IS 'How did each metric of each case read in every run? Order by started_at_s, and join points of one lane_id only';

CREATE VIEW v_latest AS
SELECT * FROM v_history
QUALIFY row_number() OVER (
            PARTITION BY sha, dirty, case_key, metric, lane_id
            ORDER BY started_at_s DESC, run_id DESC, measurement_no DESC
        ) = 1
    AND (
        lane_id <> ''
        OR row_number() OVER (
            PARTITION BY sha, dirty, case_key, metric
            ORDER BY started_at_s DESC, run_id DESC, measurement_no DESC
        ) = 1
    );
COMMENT ON VIEW v_latest IS 'What is the newest measurement of each case, metric and lane of each commit? One without an environment counts only while nothing newer exists';

CREATE VIEW v_failures AS
SELECT r.sha, r.run_id, r.started_at_s, c.case_id, m.metric, m.status, m.reasons, m.source, m.output
FROM measurements m
JOIN runs r ON r.run_id = m.run_id
JOIN cases c ON c.case_key = m.case_key
WHERE m.status <> 'ok';
COMMENT ON VIEW v_failures IS 'What failed or was skipped, in which run, why, and what did it print?';

CREATE VIEW v_lanes AS
SELECT l.lane_id, l.timer, l.cache, l.protocol_version, f.key_id, l.fingerprint_id, f.fields,
       l.measurements, l.runs, l.first_started_at_s, l.last_started_at_s
FROM (
    SELECT m.lane_id,
           any_value(m.timer) AS timer,
           any_value(m.cache) AS cache,
           any_value(m.protocol_version) AS protocol_version,
           arg_max(m.fingerprint_id, (r.started_at_s, r.run_id, m.measurement_no)) AS fingerprint_id,
           count(*) AS measurements,
           count(DISTINCT m.run_id) AS runs,
           min(r.started_at_s) AS first_started_at_s,
           max(r.started_at_s) AS last_started_at_s
    FROM measurements m JOIN runs r ON r.run_id = m.run_id
    WHERE m.lane_id <> ''
    GROUP BY m.lane_id
) l
JOIN fingerprints f ON f.fingerprint_id = l.fingerprint_id;
COMMENT ON VIEW v_lanes IS 'Which environments and protocols are trends drawn in, with the newest fingerprint of each, and how much is in each?';

CREATE VIEW v_commits AS
SELECT k.sha, k.parents, k.author, k.author_time_s, k.commit_time_s, k.subject,
       coalesce(n.runs, 0) AS runs, coalesce(n.ok, 0) AS ok
FROM commits k
LEFT JOIN (SELECT sha, count(*) AS runs, sum(ok)::BIGINT AS ok FROM v_runs GROUP BY sha) n ON n.sha = k.sha;
COMMENT ON VIEW v_commits IS 'Which commits are known, and how many runs and successful measurements does each have?';

CREATE VIEW v_tiers AS
SELECT sha, lane_id,
       count(*) FILTER (tier = 'A') AS tier_a,
       count(*) FILTER (tier = 'B') AS tier_b,
       count(*) FILTER (tier = 'C') AS tier_c
FROM v_latest
WHERE status = 'ok'
GROUP BY sha, lane_id;
COMMENT ON VIEW v_tiers IS 'How far can the numbers of a commit be trusted: how many of its newest measurements are of tier A, B and C?';

CREATE VIEW v_samples AS
SELECT r.sha, w.run_id, c.case_id, m.metric, m.unit, w.process_no, w.window_no,
       unnest(range(len(w.samples))) AS sample_no, unnest(w.samples) AS sample
FROM windows w
JOIN measurements m ON m.run_id = w.run_id AND m.measurement_no = w.measurement_no
JOIN runs r ON r.run_id = w.run_id
JOIN cases c ON c.case_key = m.case_key;
COMMENT ON VIEW v_samples IS 'What are the raw samples, one per row, by process and window?';
