set local lock_timeout = '5s';

-- Bills of providers as they were compared with runs. What a comparison found stays as it was found: runs may be corrected later.
create table reconciliations (
  org_id uuid not null references orgs (id),
  id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  -- The key, grant or member that sent the bill, as /v1 writes it.
  created_by text not null,
  summary jsonb not null,
  differences jsonb not null,
  primary key (org_id, id)
);
create index reconciliations_created_at on reconciliations (org_id, created_at, id);
call protect_tenant_table('reconciliations');
grant select, insert, delete on reconciliations to weir_app;
create policy pruning on reconciliations for all to current_user using (true);
insert into pruned_rows values ('reconciliations', $$t.created_at < clock_timestamp() - interval '800 days'$$);
