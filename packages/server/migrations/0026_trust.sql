set local lock_timeout = '5s';

-- How far the word of callers is taken: of the whole organization (its own id), or of a key with its rotations (their lineage).
create table trust_settings (
  org_id uuid not null references orgs (id),
  subject_id uuid not null,
  reported_cost text not null check (reported_cost in ('accept', 'raise_only', 'ignore')),
  min_lease_seconds integer not null check (min_lease_seconds between 1 and 86400),
  release text not null check (release in ('allow', 'refuse')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, subject_id)
);
call protect_tenant_table('trust_settings');
grant select, insert, update, delete on trust_settings to weir_app;
