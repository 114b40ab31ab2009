set local lock_timeout = '5s';

-- Values of dimensions that an organization knows, and what becomes of calls with others.
create table dimension_settings (
  org_id uuid not null references orgs (id),
  dimension text not null,
  known_values text[] not null,
  pattern text,
  on_unknown text not null check (on_unknown in ('allow', 'default_limit', 'refuse')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, dimension)
);
call protect_tenant_table('dimension_settings');
grant select, insert, update, delete on dimension_settings to weir_app;
