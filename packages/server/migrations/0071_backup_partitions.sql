set local lock_timeout = '200ms';

-- pg_dump reads every partition by itself, and each has row-level security of its own: one that was made after the last `migrate` had no
-- policy for the role that makes backups, so that its rows were missing in the dump, and nothing said so.
create or replace function create_partition(parent text, suffix text, lower_bound text, upper_bound text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  name text := parent || '_' || suffix;
begin
  if suffix !~ '^[0-9_]+$'
     or not exists (select from pg_class where oid = to_regclass(quote_ident(parent)) and relkind = 'p' and relnamespace = 'public'::regnamespace) then
    raise exception 'not a partitioned table of this program: %', parent;
  end if;
  -- Processes that start together ask for the same partition: the second waits for the first, then finds it.
  perform pg_advisory_xact_lock(hashtext('create_partition'), hashtext(name));
  if to_regclass(name) is not null then return; end if;
  set local lock_timeout = '200ms';
  execute format('create table %I (like %I including defaults including constraints)', name, parent);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  if exists (select from pg_roles where rolname = 'weir_backup') then
    execute format('grant select on %I to weir_backup', name);
    execute format('create policy backup on %I for select to weir_backup using (true)', name);
  end if;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, lower_bound, upper_bound);
end
$$;

-- Tables of which a dump by the calling role would lack rows, or which it could not read: asked before every dump.
create function tables_missing_in_dump() returns setof text
  language sql stable
  begin atomic
    select c.oid::regclass::text
      from pg_class c
     where c.relnamespace in (select n.oid from pg_namespace n where n.nspname in ('public', 'graphile_worker'))
       and c.relkind in ('r', 'p', 'S')
       and (not case c.relkind when 'S' then has_sequence_privilege(c.oid, 'select') else has_table_privilege(c.oid, 'select') end
            or (row_security_active(c.oid)
                and not exists (select from pg_policy p
                                 where p.polrelid = c.oid and p.polname = 'backup' and p.polcmd = 'r'
                                   and pg_has_role(p.polroles[1], 'usage'))))
     order by 1;
  end;

insert into schema_compatibility (migration, min_compatible)
values ('0071_backup_partitions', '0062_proposals');
