set local lock_timeout = '5s';

-- The time from which a budget counts, where that is before its creation: it was filled from usage then.
alter table limits add column counts_from timestamptz;
