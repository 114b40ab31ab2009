set local lock_timeout = '200ms';

-- Movements are in the row of their batch (docs/adr/0029). Arrays have an element for each movement, in their order; `kinds`, makers and
-- actors have one where all movements have the same, and none where none has any.
alter table ledger_batches
  add column kinds text[],
  add column hold_ids uuid[],
  -- Places in `keys` that the movements changed, one movement after the other, and where each movement's end. No places: each changed all keys.
  add column key_places integer[],
  add column key_ends integer[],
  -- Changes of each place, or of each movement where it changed all of its keys by the same; none where nothing changed.
  add column changes_by_key boolean,
  add column d_spent bigint[],
  add column d_held bigint[],
  add column d_overrun bigint[],
  add column d_late bigint[],
  add column made_by_keys uuid[],
  add column made_by_grants uuid[],
  add column actors jsonb[],
  -- Of a correction, which is a batch of its own.
  add column reason text;

-- Movements that have a row of their own: those from before, and those of the release before, which runs beside this one.
alter table movements rename to movement_rows;
do $$
declare
  day record;
begin
  for day in
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'movement_rows'::regclass
  loop
    execute format('alter table %I rename to %I', day.name, replace(day.name, 'movements_', 'movement_rows_'));
  end loop;
  -- They record changes under the name of the table.
  if organizations_are_gated() then
    drop trigger gate_written on movement_rows;
    drop trigger gate_deleted on movement_rows;
    drop trigger capture_written on movement_rows;
    drop trigger capture_deleted on movement_rows;
    call gate_tenant_table('movement_rows');
  end if;
end
$$;
insert into kept_days values ('movement_rows', 35);
delete from kept_days where parent = 'movements';

-- Movements of batches, one row each.
create view batch_movements with (security_invoker = true) as
  select b.org_id, b.seq, m.idx, b.at, b.kinds[least(m.idx + 1, cardinality(b.kinds))] as kind, m.hold_id,
         case when cardinality(b.key_places) = 0 then b.keys
              else array(select b.keys[p.place] from unnest(b.key_places[m.first:m.last]) with ordinality p (place, number) order by p.number)
         end as keys,
         b.d_spent[m.first_change:m.last_change] as d_spent, b.d_held[m.first_change:m.last_change] as d_held,
         b.d_overrun[m.first_change:m.last_change] as d_overrun, b.d_late[m.first_change:m.last_change] as d_late,
         b.actors[least(m.idx + 1, cardinality(b.actors))] as actor, b.reason,
         b.made_by_keys[least(m.idx + 1, cardinality(b.made_by_keys))] as key_id,
         b.made_by_grants[least(m.idx + 1, cardinality(b.made_by_grants))] as grant_id
    from ledger_batches b cross join lateral (
      select (u.number - 1)::integer as idx, u.hold_id, p.first, u.key_end as last,
             case when b.changes_by_key then p.first else u.number::integer end as first_change,
             case when b.changes_by_key then u.key_end else u.number::integer end as last_change
        from unnest(b.hold_ids, b.key_ends) with ordinality u (hold_id, key_end, number)
             cross join lateral (select coalesce(b.key_ends[u.number::integer - 1], 0) + 1 as first) p) m;
grant select on batch_movements to weir_app;

-- The journal: every movement of money, once, never changed.
create view movements with (security_invoker = true) as
  select org_id, seq, idx, at, kind, hold_id, keys, d_spent, d_held, d_overrun, d_late, actor, reason, key_id, grant_id from movement_rows
  union all
  select org_id, seq, idx, at, kind, hold_id, keys, d_spent, d_held, d_overrun, d_late, actor, reason, key_id, grant_id from batch_movements;
grant select, insert on movements to weir_app;

-- The release before inserts into `movements`, and asks for its days by this name.
create function insert_movement_row() returns trigger
  language plpgsql set search_path = public as $$
begin
  insert into movement_rows (org_id, seq, idx, at, kind, hold_id, keys, d_spent, d_held, d_overrun, d_late, actor, reason, key_id, grant_id)
  values (new.*);
  return new;
end
$$;
create trigger insert_row instead of insert on movements for each row execute function insert_movement_row();

create or replace function create_partition(parent text, suffix text, lower_bound text, upper_bound text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  target text := case parent when 'movements' then 'movement_rows' else parent end;
  name text := target || '_' || suffix;
begin
  if suffix !~ '^[0-9_]+$'
     or not exists (select from pg_class where oid = to_regclass(quote_ident(target)) and relkind = 'p' and relnamespace = 'public'::regnamespace) then
    raise exception 'not a partitioned table of this program: %', parent;
  end if;
  -- Processes that start together ask for the same partition: the second waits for the first, then finds it.
  perform pg_advisory_xact_lock(hashtext('create_partition'), hashtext(name));
  if to_regclass(name) is not null then return; end if;
  set local lock_timeout = '200ms';
  execute format('create table %I (like %I including defaults including constraints)', name, target);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  if exists (select from pg_roles where rolname = 'weir_backup') then
    execute format('grant select on %I to weir_backup', name);
    execute format('create policy backup on %I for select to weir_backup using (true)', name);
  end if;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', target, name, lower_bound, upper_bound);
end
$$;

insert into schema_compatibility (migration, min_compatible)
values ('0073_journal_in_batches', '0072_moves');
