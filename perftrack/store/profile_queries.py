"""Statements about profiles; the rest of what the store runs is in queries."""

from __future__ import annotations

# Columns of `launches` that LaunchSummary has under the same name, in the table's order.
NUMBERS = (
    "duration_s",
    "cycles",
    "sm_clock_hz",
    "dram_clock_hz",
    "dram_read_bytes",
    "dram_write_bytes",
    "dram_bytes_per_s",
    "dram_pct",
    "sm_pct",
    "mem_pct",
    "l1_hit_pct",
    "l2_hit_pct",
    "l2_read_bytes",
    "occupancy_achieved_pct",
    "occupancy_theoretical_pct",
    "registers",
    "shared_bytes",
    "waves",
    "instructions",
    "local_bytes",
    "sectors_per_request",
    "flops",
)
TEXTS = ("kernel", "nvtx", "device", "compute_cap", "code_hash", "bound", "occupancy_limiter")
LISTS = ("top_stalls", "filled", "unparsed", "counters")
COLUMNS = ("launch_no", "grid", "block", "occurrence", "instances", *TEXTS, *NUMBERS, *LISTS)

HAS_PROFILE = "SELECT 1 FROM profiles WHERE profile_id = $1"
INSERT_PROFILE = """
INSERT INTO profiles VALUES (
    $profile_id, $sha, $case_id, $run_id, $taken_at_s, $dirty, $ncu_version, $clock_control, $cache_control,
    $collection, $source, $limitations, $launch_count
)
"""
# Texts come as one JSON list, as in queries: `text(code)`. Numbers are columns of NumPy arrays, NaN for NULL.
INSERT_LAUNCHES = f"""
INSERT INTO launches (profile_id, {", ".join(COLUMNS)})
SELECT $profile_id, launch_no,
       CASE WHEN has_grid THEN [grid_x, grid_y, grid_z] END,
       CASE WHEN has_block THEN [block_x, block_y, block_z] END,
       occurrence, instances,
       {", ".join(f"text({name})" for name in TEXTS)},
       {", ".join(f"CASE WHEN NOT isnan({name}) THEN {name} END" for name in NUMBERS)},
       {", ".join(f"text({name})" for name in LISTS)}
FROM incoming_launches
ORDER BY launch_no
"""

_PROFILE = """
SELECT profile_id, sha, case_id, taken_at_s, run_id, dirty, ncu_version, clock_control, cache_control, collection,
       source, limitations
"""
PROFILES = f"""
{_PROFILE} FROM profiles
WHERE sha = $sha AND ($case IS NULL OR case_id = $case)
ORDER BY taken_at_s DESC, profile_id DESC
"""
LATEST_PROFILES = f"""
{_PROFILE} FROM v_profiles
WHERE sha = $sha AND dirty = $dirty
ORDER BY case_id
"""
NEWEST_PROFILES = f"""
{_PROFILE} FROM v_profiles
WHERE NOT dirty
ORDER BY case_id, taken_at_s, profile_id
"""
LAUNCHES = f"""
SELECT profile_id, {", ".join(COLUMNS)} FROM launches
WHERE list_contains($profile_ids, profile_id)
ORDER BY profile_id, launch_no
"""
# Without the counters, which are most of a store's bytes.
LAUNCHES_ONLY = f"""
SELECT profile_id, {", ".join(COLUMNS[:-1])}, '[]' FROM launches
WHERE list_contains($profile_ids, profile_id)
ORDER BY profile_id, launch_no
"""
CODES = f"""
SELECT p.sha, p.case_id, {", ".join(f"l.{c}" for c in COLUMNS if c != "counters")}
FROM v_profiles p JOIN launches l ON l.profile_id = p.profile_id
WHERE NOT p.dirty AND p.limitations = '[]' AND ($cases IS NULL OR list_contains($cases, p.case_id))
ORDER BY p.case_id, p.sha, l.launch_no
"""
