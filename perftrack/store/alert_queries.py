"""Statements about alerts and about who recorded; the rest of what the store runs is in queries."""

from __future__ import annotations

_COLUMNS = "alert_id, kind, subject, metric, lane_id, direction, first_sha, last_sha, most_likely_sha"
ALERTS = f"SELECT {_COLUMNS} FROM alerts ORDER BY reported_at_s, alert_id"
KNOWN_IDS = "SELECT alert_id, kind FROM alerts"
INSERT_ALERT = f"INSERT INTO alerts ({_COLUMNS}, reported_at_s) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
ORIGINS = """
SELECT m.run_id, m.lane_id, m.fingerprint_id, r.perftrack_version
FROM (
    SELECT DISTINCT run_id, lane_id, fingerprint_id FROM measurements
    WHERE fingerprint_id IS NOT NULL AND run_id IN (SELECT unnest($runs::VARCHAR[]))
) m
JOIN runs r ON r.run_id = m.run_id
ORDER BY ALL
"""
SOURCES = """
SELECT r.host, m.fingerprint_id, count(*), max(r.started_at_s)
FROM (SELECT DISTINCT run_id, coalesce(fingerprint_id, '') AS fingerprint_id FROM measurements) m
JOIN runs r ON r.run_id = m.run_id
GROUP BY ALL ORDER BY ALL
"""
