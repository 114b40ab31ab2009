set local lock_timeout = '5s';

-- Sign-ins that have begun at an identity provider. A row is taken by whoever comes back first, with the state that it was sent with and
-- from the browser that was sent; both are kept as hashes only, and what completes a sign-in is in neither.
create table sso_requests (
  org_id uuid not null references orgs (id),
  state_digest bytea not null check (length(state_digest) = 32),
  connection_id uuid not null,
  browser_digest bytea not null check (length(browser_digest) = 32),
  return_to text check (length(return_to) <= 1000),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  primary key (org_id, state_digest),
  foreign key (org_id, connection_id) references sso_connections (org_id, id) on delete cascade
);
create index sso_requests_created on sso_requests (org_id, created_at);
create index sso_requests_connection on sso_requests (org_id, connection_id);
create index sso_requests_end on sso_requests using brin (expires_at);
call protect_tenant_table('sso_requests');
create policy pruning on sso_requests for all to current_user using (true);
grant select, insert, delete on sso_requests to weir_app;
insert into pruned_rows values ('sso_requests', $$t.expires_at < clock_timestamp()$$);

-- Whom an identity provider calls what. An identity is the provider's name of somebody, never an e-mail address: those change hands.
create table sso_identities (
  org_id uuid not null references orgs (id),
  connection_id uuid not null,
  subject text not null check (length(subject) <= 255),
  member_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp(),
  primary key (org_id, connection_id, subject),
  unique (org_id, connection_id, member_id),
  foreign key (org_id, connection_id) references sso_connections (org_id, id) on delete cascade
);
call protect_tenant_table('sso_identities');
grant select, insert, update, delete on sso_identities to weir_app;
-- A member who is gone for so long is nobody's any more.
create policy pruning on sso_identities for all to current_user using (true);
insert into pruned_rows values ('sso_identities', $$not exists (select from memberships m where m.org_id = t.org_id and m.id = t.member_id)$$);
