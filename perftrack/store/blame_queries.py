"""Statements about searches for a regressing commit; the rest of what the store runs is in queries."""

from __future__ import annotations

HAS_BLAME = "SELECT 1 FROM blames WHERE blame_id = $1"
INSERT_BLAME = """
INSERT INTO blames VALUES (
    $blame_id, $case_id, $metric, $unit, $direction, $good, $bad, $outcome, $commits, $probability, $confidence,
    $is_merge, $before_sha, $after_sha, $effect, $interval_lo, $interval_hi, $p_value, $is_log, $explained,
    $posterior, $earlier, $measurements, $builds, $seconds, $seed, $lane_id, $finished_at_s
)
"""
BLAMES = """
SELECT case_id, metric, unit, direction, good, bad, outcome, commits, probability, confidence, is_merge,
       before_sha, after_sha, effect, interval_lo, interval_hi, p_value, is_log, explained, posterior, earlier,
       measurements, builds, seconds, seed, lane_id, finished_at_s
FROM blames
WHERE $case IS NULL OR case_id = $case
ORDER BY finished_at_s DESC, blame_id DESC
"""
# A process's value is the median of its windows' medians, as core.stats has it.
PAST_RUNS = """
SELECT r.run_id, r.sha, m.lane_id, m.code_hash, r.started_at_s, m.value, m.within_variance,
       list(p.value ORDER BY p.process_no)
FROM measurements m
JOIN runs r ON r.run_id = m.run_id
JOIN cases c ON c.case_key = m.case_key
JOIN (
    SELECT run_id, measurement_no, process_no, median(list_median(samples)) AS value
    FROM windows WHERE len(samples) > 0
    GROUP BY run_id, measurement_no, process_no
) p ON p.run_id = m.run_id AND p.measurement_no = m.measurement_no
WHERE list_contains($cases, c.case_id) AND m.metric = $metric AND m.status = 'ok' AND m.tier <> 'C' AND NOT r.dirty
    AND m.value IS NOT NULL
GROUP BY r.run_id, r.sha, m.lane_id, m.code_hash, r.started_at_s, m.value, m.within_variance, m.measurement_no
ORDER BY r.started_at_s, r.run_id, m.measurement_no
"""
