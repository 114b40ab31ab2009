set local lock_timeout = '5s';

-- In which attributes of spans an organization's programs name a dimension; null: in the built-in ones.
create table otlp_mappings (
  org_id uuid primary key references orgs (id),
  workflow_id text[],
  deployment_id text[],
  department_id text[],
  customer_id text[],
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
call protect_tenant_table('otlp_mappings');
grant select, insert, update, delete on otlp_mappings to weir_app;

-- Lets the role that makes logical backups read every row, where somebody has created it. Row-level security binds the owner of the
-- tables as well, so that a dump by the owner is refused or empty.
create function admit_backup_role() returns void
  language plpgsql
as $$
declare
  guarded regclass;
begin
  if not exists (select from pg_roles where rolname = 'weir_backup') then
    return;
  end if;
  grant usage on schema public, graphile_worker to weir_backup;
  grant select on all tables in schema public, graphile_worker to weir_backup;
  grant select on all sequences in schema public, graphile_worker to weir_backup;
  alter default privileges in schema public grant select on tables to weir_backup;
  for guarded in
    select c.oid from pg_class c
     where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind in ('r', 'p') and c.relrowsecurity
       and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'backup')
  loop
    execute format('create policy backup on %s for select to weir_backup using (true)', guarded);
  end loop;
end
$$;
revoke all on function admit_backup_role() from public;
