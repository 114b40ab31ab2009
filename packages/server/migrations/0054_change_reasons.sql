set local lock_timeout = '5s';

-- The reason that a caller gave for a change. It is sealed where there is one, so that entries from before verify as they did.
alter table audit_log add column reason text;
