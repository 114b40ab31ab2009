set local lock_timeout = '5s';

-- Wishes of providers to end sessions, by the hash of their id: each is followed once.
create table sso_logouts (
  org_id uuid not null references orgs (id),
  connection_id uuid not null,
  digest bytea not null check (length(digest) = 32),
  expires_at timestamptz not null,
  primary key (org_id, connection_id, digest),
  foreign key (org_id, connection_id) references sso_connections (org_id, id) on delete cascade
);
create index sso_logouts_end on sso_logouts using brin (expires_at);
call protect_tenant_table('sso_logouts');
create policy pruning on sso_logouts for all to current_user using (true);
grant select, insert on sso_logouts to weir_app;
insert into pruned_rows values ('sso_logouts', $$t.expires_at < clock_timestamp()$$);
