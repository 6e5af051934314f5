-- What a kernel profiler said of a case's launches. Numbers are in base units; NULL was not collected, never 0.

CREATE TABLE profiles (
    profile_id VARCHAR NOT NULL,
    sha VARCHAR NOT NULL,
    case_id VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    taken_at_s DOUBLE NOT NULL,
    dirty BOOLEAN NOT NULL,
    ncu_version VARCHAR NOT NULL,
    clock_control VARCHAR NOT NULL,
    cache_control VARCHAR NOT NULL,
    collection VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    limitations JSON NOT NULL,
    launch_count INTEGER NOT NULL
);
COMMENT ON TABLE profiles IS 'One row per profile of one case of one commit; profile_id is the hash of its content';
COMMENT ON COLUMN profiles.run_id IS 'The recording that it was taken with; empty for an imported file';
COMMENT ON COLUMN profiles.taken_at_s IS 'When it was taken or imported, unix seconds';
COMMENT ON COLUMN profiles.clock_control IS 'What the profiler did to the clocks (none, base, boost); empty: not known. Durations compare only where it agrees';
COMMENT ON COLUMN profiles.cache_control IS 'Whether caches were flushed before each pass (all, none); empty: not known';
COMMENT ON COLUMN profiles.collection IS 'The set of metrics that was asked for; empty: not known';
COMMENT ON COLUMN profiles.source IS 'Name of the imported files, or what took the profile';
COMMENT ON COLUMN profiles.limitations IS 'What the profile does not show, a list of texts';

CREATE TABLE launches (
    profile_id VARCHAR NOT NULL,
    launch_no INTEGER NOT NULL,
    kernel VARCHAR NOT NULL,
    grid BIGINT[],
    block BIGINT[],
    occurrence BIGINT NOT NULL,
    instances BIGINT NOT NULL,
    nvtx VARCHAR NOT NULL,
    device VARCHAR NOT NULL,
    compute_cap VARCHAR NOT NULL,
    code_hash VARCHAR NOT NULL,
    bound VARCHAR NOT NULL,
    occupancy_limiter VARCHAR,
    duration_s DOUBLE,
    cycles DOUBLE,
    sm_clock_hz DOUBLE,
    dram_clock_hz DOUBLE,
    dram_read_bytes DOUBLE,
    dram_write_bytes DOUBLE,
    dram_bytes_per_s DOUBLE,
    dram_pct DOUBLE,
    sm_pct DOUBLE,
    mem_pct DOUBLE,
    l1_hit_pct DOUBLE,
    l2_hit_pct DOUBLE,
    l2_read_bytes DOUBLE,
    occupancy_achieved_pct DOUBLE,
    occupancy_theoretical_pct DOUBLE,
    registers DOUBLE,
    shared_bytes DOUBLE,
    waves DOUBLE,
    instructions DOUBLE,
    local_bytes DOUBLE,
    sectors_per_request DOUBLE,
    flops DOUBLE,
    top_stalls JSON NOT NULL,
    filled JSON NOT NULL,
    unparsed JSON NOT NULL,
    counters JSON NOT NULL
);
COMMENT ON TABLE launches IS 'One row per kernel launch of a profile (or per kernel, where it was a summary), in their order';
COMMENT ON COLUMN launches.occurrence IS 'Position among launches of the profile that are equal in kernel, grid, block and nvtx, from 0';
COMMENT ON COLUMN launches.instances IS 'Launches that the row stands for: more than one in a summary per kernel';
COMMENT ON COLUMN launches.code_hash IS 'Of the machine code that ran; empty where it could not be had';
COMMENT ON COLUMN launches.duration_s IS 'As the profiler timed it: serialised, under its clock and cache control. Not comparable with a measurement';
COMMENT ON COLUMN launches.cycles IS 'SM cycles elapsed';
COMMENT ON COLUMN launches.dram_pct IS 'Of the peak that the profiler knows';
COMMENT ON COLUMN launches.registers IS 'Per thread';
COMMENT ON COLUMN launches.shared_bytes IS 'Per block, static and dynamic';
COMMENT ON COLUMN launches.instructions IS 'Executed, of warps';
COMMENT ON COLUMN launches.local_bytes IS 'Local-memory traffic through L1: spills, and local arrays that are indexed';
COMMENT ON COLUMN launches.sectors_per_request IS 'Of global loads: 4 is coalesced access to 4-byte values, 32 the worst';
COMMENT ON COLUMN launches.top_stalls IS 'Why warps waited, a list of [reason, value, share in percent, source]';
COMMENT ON COLUMN launches.filled IS 'Columns that were not read from their first choice of metric, a list of [column, metric]';
COMMENT ON COLUMN launches.unparsed IS 'Values that were there and could not be read, a list of texts';
COMMENT ON COLUMN launches.counters IS 'Every metric as collected, a list of [name, value, unit, section]';

CREATE VIEW v_profiles AS
SELECT * FROM profiles
QUALIFY row_number() OVER (PARTITION BY sha, case_id, dirty ORDER BY taken_at_s DESC, profile_id DESC) = 1;
COMMENT ON VIEW v_profiles IS 'What is the newest profile of each case of each commit?';

CREATE VIEW v_launches AS
SELECT p.sha, p.case_id, p.dirty, p.clock_control, p.cache_control, l.* EXCLUDE (counters)
FROM launches l JOIN v_profiles p ON p.profile_id = l.profile_id;
COMMENT ON VIEW v_launches IS 'How did each launch of the newest profile of each case run: time, bytes, occupancy, what bounds it?';

CREATE VIEW v_counters AS
SELECT p.sha, p.case_id, p.dirty, l.profile_id, l.launch_no, l.kernel,
       c.counter->>0 AS metric,
       try_cast(c.counter->>1 AS DOUBLE) AS value,
       c.counter->>1 AS text,
       c.counter->>2 AS unit,
       c.counter->>3 AS section
FROM launches l
JOIN v_profiles p ON p.profile_id = l.profile_id,
     unnest(json_extract(l.counters, '$[*]')) AS c(counter);
COMMENT ON VIEW v_counters IS 'What did each raw metric of each launch of the newest profiles read, one per row?';
