-- What searches for a regressing commit came to.

CREATE TABLE blames (
    blame_id VARCHAR NOT NULL,
    case_id VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    direction VARCHAR NOT NULL,
    good VARCHAR NOT NULL,
    bad VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    commits VARCHAR[] NOT NULL,
    probability DOUBLE NOT NULL,
    confidence DOUBLE NOT NULL,
    is_merge BOOLEAN NOT NULL,
    before_sha VARCHAR NOT NULL,
    after_sha VARCHAR NOT NULL,
    effect DOUBLE,
    interval_lo DOUBLE,
    interval_hi DOUBLE,
    p_value DOUBLE,
    is_log BOOLEAN NOT NULL,
    explained DOUBLE,
    posterior JSON NOT NULL,
    earlier VARCHAR[] NOT NULL,
    measurements INTEGER NOT NULL,
    builds INTEGER NOT NULL,
    seconds DOUBLE NOT NULL,
    seed BIGINT NOT NULL,
    lane_id VARCHAR NOT NULL,
    finished_at_s DOUBLE NOT NULL
);
COMMENT ON TABLE blames IS 'One row per finished search for the commit at which a case got worse; blame_id is the hash of its content';
COMMENT ON COLUMN blames.good IS 'SHA of the end that is not slow yet';
COMMENT ON COLUMN blames.commits IS 'The block that is to blame, or where none was found those that may be; parents first';
COMMENT ON COLUMN blames.probability IS 'That one of the commits is to blame';
COMMENT ON COLUMN blames.before_sha IS 'With after_sha: what was measured again to confirm it; empty where nothing was';
COMMENT ON COLUMN blames.effect IS 'From the confirming processes alone, positive is worse: a log ratio, or a difference in unit where not is_log';
COMMENT ON COLUMN blames.explained IS 'The effect as a share of the difference between the ends';
COMMENT ON COLUMN blames.posterior IS 'Commits with a probability worth telling, a list of [sha, probability]';
COMMENT ON COLUMN blames.earlier IS 'Good ends of wider ranges in which the speed changed more than once';
COMMENT ON COLUMN blames.measurements IS 'Processes measured';
COMMENT ON COLUMN blames.builds IS 'Commits built or tried';
