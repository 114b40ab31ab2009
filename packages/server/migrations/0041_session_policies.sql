set local lock_timeout = '5s';

-- What an organization demands of sessions beyond what the installation does.
create table session_policies (
  org_id uuid primary key references orgs (id),
  idle_seconds integer check (idle_seconds > 0),
  max_seconds integer check (max_seconds > 0),
  key_sign_in text not null check (key_sign_in in ('allow', 'refuse')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
call protect_tenant_table('session_policies');
grant select, insert, update on session_policies to weir_app;
