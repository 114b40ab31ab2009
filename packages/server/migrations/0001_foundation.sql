set local lock_timeout = '5s';

-- The role that holds the application's grants. Logins are members of it; it owns nothing, so row-level security binds it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'weir_app') then
    create role weir_app nologin nosuperuser nobypassrls;
  end if;
exception when duplicate_object or unique_violation then
  null; -- roles belong to the whole cluster: a migrator of another database was faster
end
$$;

grant usage on schema public to weir_app;
grant select on schema_migrations to weir_app;

-- The organizations whose rows the current transaction may see; none by default.
create function app_orgs() returns uuid[]
  language sql stable parallel safe
  return string_to_array(nullif(current_setting('app.orgs', true), ''), ',')::uuid[];

-- Puts a table behind the tenant wall. Every table with an org_id passes through here, by the migration that creates it.
-- The sub-select makes the planner evaluate the setting once per statement instead of once per row.
create procedure protect_tenant_table(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant on %s using (org_id = any ((select app_orgs())::uuid[])) with check (org_id = any ((select app_orgs())::uuid[]))',
    tenant_table
  );
end
$$;

-- Processes that live now. A process renews its lease; one whose lease has run out is dead or cut off, and what it
-- had locked is free again.
create table nodes (
  id uuid primary key,
  role text not null,
  version text not null,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null,
  job_lockers text[] not null default '{}'
);
create index nodes_lease_until on nodes (lease_until);
grant select, insert, update, delete on nodes to weir_app;

-- Opens the job queue's own schema to the application. The queue creates it, with row-level security that admits its
-- owner only; run after each of its upgrades, since they may add tables.
create function admit_application_role() returns void
  language plpgsql as $$
declare
  queue_table regclass;
begin
  grant usage on schema graphile_worker to weir_app;
  grant select, insert, update, delete on all tables in schema graphile_worker to weir_app;
  grant usage, select on all sequences in schema graphile_worker to weir_app;
  grant execute on all functions in schema graphile_worker to weir_app;
  for queue_table in
    select c.oid from pg_class c
     where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and c.relrowsecurity
       and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'application')
  loop
    execute format('create policy application on %s to weir_app using (true) with check (true)', queue_table);
  end loop;
end
$$;
revoke execute on function admit_application_role() from public;
