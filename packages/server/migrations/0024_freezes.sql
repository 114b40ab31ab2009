set local lock_timeout = '5s';

-- What is frozen: the organization, a key by its lineage, or a limit. Everything that would be charged to it is refused until it
-- is thawed, which removes the row; who did both is in the audit log.
create table freezes (
  org_id uuid not null references orgs (id),
  id uuid not null,
  target_kind text not null check (target_kind in ('org', 'key', 'limit')),
  target_id uuid not null,
  target text not null,
  reason text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, target_kind, target_id)
);
call protect_tenant_table('freezes');
grant select, insert, update, delete on freezes to weir_app;
