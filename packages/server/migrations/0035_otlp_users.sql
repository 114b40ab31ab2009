set local lock_timeout = '5s';

-- The attributes of spans that name the user.
alter table otlp_mappings add column user_id text[];
