set local lock_timeout = '5s';

-- What a run was charged by an estimate of its caller, which an exact report may still replace.
alter table holds add column estimate json;
