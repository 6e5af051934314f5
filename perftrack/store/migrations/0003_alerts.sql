-- What was reported before, so that a change or a silence that is still there is not news again.

CREATE TABLE alerts (
    alert_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    lane_id VARCHAR NOT NULL,
    direction VARCHAR NOT NULL,
    first_sha VARCHAR NOT NULL,
    last_sha VARCHAR NOT NULL,
    most_likely_sha VARCHAR NOT NULL,
    reported_at_s DOUBLE NOT NULL
);
COMMENT ON TABLE alerts IS 'One row per alert that a detect --once reported; rows are added and never changed';
COMMENT ON COLUMN alerts.kind IS 'step, gradual or bump of a lane, creep since a release, or what fell silent';
COMMENT ON COLUMN alerts.subject IS 'The case_id, or for a silence the case, device or host';
COMMENT ON COLUMN alerts.direction IS 'Which way the value went, up or down; empty for a silence';
COMMENT ON COLUMN alerts.first_sha IS 'Start of the range of commits as it was reported; empty for a silence';
COMMENT ON COLUMN alerts.reported_at_s IS 'Unix seconds';
