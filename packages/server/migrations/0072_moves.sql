set local lock_timeout = '200ms';

-- Organizations that change their cell (docs/adr/0028). One row for each that has left, arrives or has arrived here; it is what every writer of
-- the organization's rows obeys. It belongs to the installation, not to the organization: nobody of the organization sees it.
create table org_moves (
  moved_org uuid primary key,
  move_id uuid not null,
  attempt bigint not null,
  direction text not null,
  -- The other cell.
  cell text not null,
  state text not null,
  epoch bigint not null check (epoch > 0),
  -- The process that carries the move out, and the last batch of it that was written here.
  term bigint not null default 0,
  applied bigint not null default 0,
  -- True while changes of the organization's rows are kept in org_move_changes.
  captures boolean not null default false,
  progress jsonb not null default '{}',
  residency text not null default 'none',
  started_at timestamptz not null default clock_timestamp(),
  frozen_at timestamptz,
  moved_at timestamptz,
  ended_at timestamptz,
  keep_until timestamptz,
  constraint org_moves_state_check check (
    (direction = 'out' and state in ('copying', 'frozen', 'moved', 'done', 'purged', 'cancelled'))
    or (direction = 'in' and state in ('arriving', 'ready', 'active', 'discarded')))
);
create unique index org_moves_underway on org_moves (cell) where direction = 'out' and state in ('copying', 'frozen', 'moved');
grant select, insert, update on org_moves to weir_app;

-- What has changed since the copy began: keys to copy again, and by how much rows and digest of a table have changed.
create table org_move_changes (
  id bigint generated always as identity primary key,
  moved_org uuid not null,
  table_name text not null,
  key jsonb not null,
  rows integer not null,
  digest numeric not null
);
create index org_move_changes_in_order on org_move_changes (moved_org, id);
grant select, insert, delete on org_move_changes to weir_app;

-- Rows and digest of a table as they were counted, but for what is still in org_move_changes.
create table org_move_sums (
  moved_org uuid not null,
  table_name text not null,
  rows bigint not null,
  digest numeric not null,
  primary key (moved_org, table_name)
);
grant select, insert, update, delete on org_move_sums to weir_app;

-- Ids in keys, sessions and tokens that this cell has issued, of organizations whose rows are gone: the directory points on for them.
create table moved_ids (
  id uuid primary key,
  moved_org uuid not null
);
grant select on moved_ids to weir_app;

grant select on sequence event_order to weir_app;
grant update (home_epoch, home_region) on orgs to weir_app;

-- Organizations whose rows are here and must not be written: those that have left or arrive.
create function closed_orgs() returns uuid[]
  language sql stable security definer set search_path = public
  begin atomic
    select coalesce(array_agg(m.moved_org), '{}') from org_moves m
     where m.state in ('frozen', 'moved', 'done', 'arriving', 'ready', 'discarded');
  end;
revoke execute on function closed_orgs() from public;
grant execute on function closed_orgs() to weir_app;

create function org_standing(org uuid, status text) returns text
  language sql stable security definer set search_path = public
  begin atomic
    select case when exists (
      select from org_moves m
       where m.moved_org = org and m.state in ('frozen', 'moved', 'done', 'arriving', 'ready', 'discarded')) then 'moving' else status end;
  end;
revoke execute on function org_standing(uuid, text) from public;
grant execute on function org_standing(uuid, text) to weir_app;

-- The lock that every writer of an organization's rows holds to the end of its transaction. Organizations share 256 of them: a transaction
-- that writes rows of many must not fill the lock table.
create function org_gate(org uuid) returns integer
  language sql immutable parallel safe
  return hashtext(org::text) & 255;

-- Lets a row be written, or fails. It takes the lock first and looks then, so whoever closes an organization and waits for those that hold the
-- lock has waited for all who saw it open. What it has found holds for the rest of the transaction, so it is called once for each organization.
create function gate_org_row() returns trigger
  language plpgsql set search_path = public as $$
declare
  org uuid;
  m org_moves;
begin
  if tg_op = 'DELETE' then
    if tg_argv[0] = 'id' then org := old.id; else org := old.org_id; end if;
  else
    if tg_argv[0] = 'id' then org := new.id; else org := new.org_id; end if;
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'rows of organizations are written in read committed transactions' using errcode = 'feature_not_supported';
  end if;
  perform pg_advisory_xact_lock_shared(1464158530, org_gate(org));
  select * into m from org_moves o where o.moved_org = org;
  if found and m.state not in ('copying', 'cancelled', 'active') and current_setting('app.move', true) is distinct from m.move_id::text then
    -- A function that writes rows of many organizations passes this one over.
    if current_user <> session_user then return null; end if;
    raise exception 'the organization is being moved' using errcode = 'WE002', detail = org::text;
  end if;
  perform set_config('app.open_orgs', concat(current_setting('app.open_orgs', true), ' ', org), true);
  if m.captures then perform set_config('app.captured_orgs', concat(current_setting('app.captured_orgs', true), ' ', org), true); end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end
$$;

-- The digest of a row: of its text, under settings that are the same in every session.
create function row_digest(r anyelement) returns numeric
  language plpgsql stable
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set bytea_output = 'hex' set extra_float_digits = 1 as $$
begin
  return hashtextextended(r::text, 0)::numeric;
end
$$;

-- Keeps what has changed while the organization is copied.
create function capture_org_row() returns trigger
  language plpgsql set search_path = public as $$
declare
  org uuid;
  before jsonb;
  after jsonb;
begin
  if tg_op <> 'INSERT' then
    before := (select jsonb_object_agg(c, to_jsonb(old) -> c) from unnest(tg_argv[2:]) c);
    org := (to_jsonb(old) ->> tg_argv[1])::uuid;
  end if;
  if tg_op <> 'DELETE' then
    after := (select jsonb_object_agg(c, to_jsonb(new) -> c) from unnest(tg_argv[2:]) c);
    org := (to_jsonb(new) ->> tg_argv[1])::uuid;
  end if;
  insert into org_move_changes (moved_org, table_name, key, rows, digest)
  select org, tg_argv[0], coalesce(after, before), (after is not null)::int - (before is not null)::int,
         case when after is null then 0 else row_digest(new) end - case when before is null then 0 else row_digest(old) end;
  if before <> after then
    insert into org_move_changes (moved_org, table_name, key, rows, digest) values (org, tg_argv[0], before, 0, 0);
  end if;
  return null;
end
$$;

-- Puts both before and after the writes of a table.
create procedure gate_tenant_table(tenant_table regclass, org_column text default 'org_id')
  language plpgsql as $$
declare
  name text := (select relname from pg_class where oid = tenant_table);
  keys text := (
    select string_agg(quote_literal(a.attname), ', ' order by array_position(i.indkey::int2[], a.attnum))
      from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
     where i.indrelid = tenant_table and i.indisprimary);
begin
  if keys is null then raise exception '% has no primary key: its rows could not be moved', tenant_table; end if;
  execute format($f$create trigger gate_written before insert or update on %1$s for each row
    when (coalesce(strpos(current_setting('app.open_orgs', true), new.%2$I::text), 0) = 0) execute function gate_org_row(%2$L)$f$, tenant_table, org_column);
  execute format($f$create trigger gate_deleted before delete on %1$s for each row
    when (coalesce(strpos(current_setting('app.open_orgs', true), old.%2$I::text), 0) = 0) execute function gate_org_row(%2$L)$f$, tenant_table, org_column);
  execute format($f$create trigger capture_written after insert or update on %1$s for each row
    when (coalesce(strpos(current_setting('app.captured_orgs', true), new.%2$I::text), 0) > 0) execute function capture_org_row(%3$L, %2$L, %4$s)$f$,
    tenant_table, org_column, name, keys);
  execute format($f$create trigger capture_deleted after delete on %1$s for each row
    when (coalesce(strpos(current_setting('app.captured_orgs', true), old.%2$I::text), 0) > 0) execute function capture_org_row(%3$L, %2$L, %4$s)$f$,
    tenant_table, org_column, name, keys);
end
$$;

-- True where writes of all organizations' rows pass the gate. An installation of one cell has no gate: no organization moves there, and none
-- of its writes pays for one.
create function organizations_are_gated() returns boolean
  language sql stable
  begin atomic
    select exists (select from pg_trigger t where t.tgrelid = 'orgs'::regclass and t.tgname = 'gate_written');
  end;

-- Puts the gate before every table of organizations that has none yet, and `orgs` last. `migrate` calls it where there are several cells.
create procedure gate_tenant_tables()
  language plpgsql as $$
declare
  tenant_table regclass;
begin
  for tenant_table in
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'gate_written')
     order by c.relname
  loop
    call gate_tenant_table(tenant_table);
  end loop;
  if not organizations_are_gated() then call gate_tenant_table('orgs', 'id'); end if;
end
$$;

create or replace procedure protect_tenant_table(tenant_table regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant on %s using (org_id = any ((select app_orgs())::uuid[])) with check (org_id = any ((select app_orgs())::uuid[]))',
    tenant_table
  );
  if organizations_are_gated() then call gate_tenant_table(tenant_table); end if;
end
$$;

create function refuse_ungated_move() returns trigger
  language plpgsql as $$
begin
  raise exception 'organizations cannot move: their tables have no gate' using errcode = 'WE004', hint = 'Run migrate with SVC_CELLS.';
end
$$;
create trigger refuse_ungated_move before insert on org_moves
  for each row when (not organizations_are_gated()) execute function refuse_ungated_move();

-- Where the organization behind an id lives, as far as this cell knows: directory_entry, and the cell to which it has moved or from which it
-- arrives.
create function find_home(wanted uuid) returns table (residency text, home_epoch bigint, elsewhere text)
  language sql stable security definer set search_path = public
  begin atomic
    select coalesce(o.residency, m.residency),
           case when m.state in ('moved', 'done', 'purged') then m.epoch else coalesce(o.home_epoch, 1) end,
           case when m.state in ('moved', 'done', 'purged', 'arriving', 'ready', 'discarded') then m.cell end
      from (select coalesce(
             (select k.org_id from api_keys k where k.id = wanted),
             (select g.org_id from support_grants g where g.id = wanted),
             (select s.org_id from sessions s where s.id = wanted),
             (select t.org_id from scim_tokens t where t.id = wanted),
             (select i.moved_org from moved_ids i where i.id = wanted),
             wanted) as org) w
      left join orgs o on o.id = w.org
      left join org_moves m on m.moved_org = w.org
     where o.id is not null or m.state in ('moved', 'done', 'purged');
  end;
revoke execute on function find_home(uuid) from public;
grant execute on function find_home(uuid) to weir_app;

-- Writes rows of an organization that arrives, and of no other, as the text of each. Only for the move that is recorded.
create function arrive_rows(org uuid, move uuid, into_table text, given text[], gone jsonb, is_whole boolean) returns void
  language plpgsql security definer set search_path = public
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  rel regclass := to_regclass(quote_ident(into_table));
  org_column text := case into_table when 'orgs' then 'id' else 'org_id' end;
  columns text;
  keys text;
  matches text;
  others text;
  is_foreign boolean;
begin
  if not exists (select from org_moves m where m.moved_org = org and m.move_id = move and m.direction = 'in' and m.state = 'arriving') then
    raise exception 'the organization does not arrive' using errcode = 'WE003';
  end if;
  if rel is null or not exists (select from pg_trigger t where t.tgrelid = rel and t.tgname = 'gate_written') then
    raise exception 'not a table of organizations: %', into_table using errcode = 'WE003';
  end if;
  execute format('select exists (select from unnest($1::%s[]) u where u.%I is distinct from $2)', rel, org_column)
    into is_foreign using given, org;
  if is_foreign then raise exception 'a row of another organization in %', into_table using errcode = 'WE003'; end if;
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into columns from pg_attribute a
   where a.attrelid = rel and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     -- The place among the events of this cell.
     and not (into_table = 'outbox' and a.attname = 'seq');
  select string_agg(quote_ident(a.attname), ', '), string_agg(format('t.%1$I = k.%1$I', a.attname), ' and ') into keys, matches
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) where i.indrelid = rel and i.indisprimary;
  select string_agg(format('%1$I = excluded.%1$I', a.attname), ', ') into others from pg_attribute a
   where a.attrelid = rel and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     and not exists (select from pg_index i where i.indrelid = rel and i.indisprimary and a.attnum = any (i.indkey));
  perform set_config('app.orgs', org::text, true), set_config('app.move', move::text, true);
  if is_whole then
    execute format('delete from %s where %I = $1', rel, org_column) using org;
  end if;
  if jsonb_array_length(gone) > 0 then
    execute format('delete from %s t using jsonb_populate_recordset(null::%1$s, $2) k where t.%I = $1 and %s', rel, org_column, matches)
      using org, gone;
  end if;
  execute format(
    'insert into %1$s (%2$s) select %2$s from unnest($1::%1$s[]) with ordinality as u order by u.ordinality on conflict (%3$s) do %4$s',
    rel, columns, keys, case when others is null or into_table = 'outbox' then 'nothing' else 'update set ' || others end
  ) using given;
  perform set_config('app.move', '', true);
end
$$;
revoke execute on function arrive_rows(uuid, uuid, text, text[], jsonb, boolean) from public;
grant execute on function arrive_rows(uuid, uuid, text, text[], jsonb, boolean) to weir_app;

-- Removes some rows of an organization from a table; returns how many. Not for the application: see below.
create function remove_org_rows(org uuid, from_table text, most integer) returns bigint
  language plpgsql set search_path = public as $$
declare
  rel regclass := to_regclass(quote_ident(from_table));
  org_column text := case from_table when 'orgs' then 'id' else 'org_id' end;
  keys text;
  removed bigint;
begin
  if rel is null or not exists (select from pg_trigger t where t.tgrelid = rel and t.tgname = 'gate_written') then
    raise exception 'not a table of organizations: %', from_table using errcode = 'WE003';
  end if;
  select string_agg(quote_ident(a.attname), ', ') into keys
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) where i.indrelid = rel and i.indisprimary;
  perform set_config('app.orgs', org::text, true);
  perform set_config('app.move', (select m.move_id::text from org_moves m where m.moved_org = org), true);
  execute format('delete from %s where %I = $1 and (%s) in (select %3$s from %1$s where %2$I = $1 limit $2)', rel, org_column, keys)
    using org, most;
  get diagnostics removed = row_count;
  perform set_config('app.move', '', true);
  return removed;
end
$$;
revoke execute on function remove_org_rows(uuid, text, integer) from public;

-- Removes rows of an arrival that was given up.
create function discard_rows(org uuid, move uuid, from_table text, most integer) returns bigint
  language plpgsql security definer set search_path = public as $$
begin
  if not exists (select from org_moves m where m.moved_org = org and m.move_id = move and m.direction = 'in' and m.state = 'discarded') then
    raise exception 'the arrival is not given up' using errcode = 'WE003';
  end if;
  return remove_org_rows(org, from_table, most);
end
$$;
revoke execute on function discard_rows(uuid, uuid, text, integer) from public;
grant execute on function discard_rows(uuid, uuid, text, integer) to weir_app;

-- Lets the events of this cell come after those that have arrived.
create function advance_event_order(beyond bigint) returns void
  language plpgsql security definer set search_path = public as $$
declare
  last bigint;
begin
  select s.last_value into last from event_order s;
  if last > beyond then return; end if;
  -- The sequence is locked by its change, so nobody takes a number between this look and the end of the transaction.
  execute format('alter sequence event_order increment by 1');
  select s.last_value into last from event_order s;
  if last <= beyond then execute format('alter sequence event_order restart with %s', beyond + 1); end if;
end
$$;
revoke execute on function advance_event_order(bigint) from public;
grant execute on function advance_event_order(bigint) to weir_app;

-- No day of a table goes while an organization is copied: its rows would go on one side without a trace.
create or replace function drop_partition(parent text, suffix text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  kept integer := (select k.days from kept_days k where k.parent = drop_partition.parent);
begin
  if kept is null or suffix !~ '^[0-9]{8}$' then raise exception 'not a table whose days are dropped: %', parent; end if;
  if to_date(suffix, 'YYYYMMDD') > (clock_timestamp() at time zone 'UTC')::date - kept then
    raise exception '% of % is still needed', suffix, parent;
  end if;
  -- What is still held must be given back first: without its row nobody could.
  if parent = 'holds' and exists (
    select from holds where state = 'open' and tableoid = to_regclass(quote_ident('holds_' || suffix)) and org_id <> all ((select closed_orgs())::uuid[])
  ) then
    raise exception 'holds of % are still open', suffix;
  end if;
  if exists (select from org_moves m where m.state in ('copying', 'frozen', 'arriving', 'ready')) then return; end if;
  set local lock_timeout = '200ms';
  execute format('drop table if exists %I', parent || '_' || suffix);
end
$$;

create or replace function prune_rows(parent text, most integer) returns bigint
  language plpgsql security definer set search_path = public as $$
declare
  rule text := (select p.is_over from pruned_rows p where p.parent = prune_rows.parent);
  gone bigint;
begin
  if rule is null then raise exception 'not a table whose rows are pruned: %', parent; end if;
  if exists (select from pg_attribute a where a.attrelid = to_regclass(quote_ident(parent)) and a.attname = 'org_id') then
    rule := format('t.org_id <> all ((select closed_orgs())::uuid[]) and (%s)', rule);
  end if;
  execute format(
    'delete from %I t where t.ctid = any (array(select t.ctid from %I t where %s limit %s for update skip locked))',
    parent, parent, rule, most
  );
  get diagnostics gone = row_count;
  return gone;
end
$$;

-- Functions that look for work, or for callers, in all organizations: closed ones have none here.
CREATE OR REPLACE FUNCTION expired_holds(before timestamp with time zone, most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT h.org_id,
     h.id
    FROM holds h
   WHERE ((h.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (h.state = 'open'::text) AND (h.expires_at < expired_holds.before))
   ORDER BY h.expires_at
  LIMIT expired_holds.most;
END;

CREATE OR REPLACE FUNCTION ledgers_to_check(after uuid, most integer, even_if_checked boolean) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT l.org_id
    FROM (org_ledgers l
      LEFT JOIN ledger_checks c ON ((c.org_id = l.org_id)))
   WHERE ((l.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (l.org_id > ledgers_to_check.after) AND (ledgers_to_check.even_if_checked OR (l.seq > COALESCE(c.seq, (0)::bigint))))
   ORDER BY l.org_id
  LIMIT ledgers_to_check.most;
END;

CREATE OR REPLACE FUNCTION orgs_to_tell(announcements text[], since timestamp with time zone[], after uuid, most integer) RETURNS TABLE(org_id uuid, deprecation_ids text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT s.org_id,
     array_agg(DISTINCT d.id) AS array_agg
    FROM (UNNEST(orgs_to_tell.announcements, orgs_to_tell.since) d(id, since)
      JOIN webhook_subscriptions s ON ((s.enabled AND (s.created_at < d.since))))
   WHERE ((s.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (s.org_id > orgs_to_tell.after) AND (NOT (EXISTS ( SELECT
            FROM deprecation_announcements a
           WHERE ((a.org_id = s.org_id) AND (a.deprecation_id = d.id))))))
   GROUP BY s.org_id
   ORDER BY s.org_id
  LIMIT orgs_to_tell.most;
END;

CREATE OR REPLACE FUNCTION orgs_with_closing_digests(most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT d.org_id
    FROM ( SELECT w.org_id
            FROM webhook_digests w
           WHERE ((w.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND w.closes_at <= clock_timestamp())
           ORDER BY w.closes_at
          LIMIT orgs_with_closing_digests.most) d;
END;

CREATE OR REPLACE FUNCTION orgs_with_closing_digests(after uuid, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH RECURSIVE counting(org_id) AS (
          SELECT ( SELECT d.org_id
                    FROM webhook_digests d
                   WHERE (d.org_id > orgs_with_closing_digests.after)
                   ORDER BY d.org_id, d.closes_at
                  LIMIT 1) AS org_id
           WHERE (EXISTS ( SELECT
                    FROM webhook_digests d
                   WHERE (d.closes_at <= clock_timestamp())))
         UNION ALL
          SELECT ( SELECT d.org_id
                    FROM webhook_digests d
                   WHERE (d.org_id > one_1.org_id)
                   ORDER BY d.org_id, d.closes_at
                  LIMIT 1) AS org_id
            FROM counting one_1
           WHERE (one_1.org_id IS NOT NULL)
         )
  SELECT one.org_id
    FROM counting one
   WHERE ((one.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (one.org_id IS NOT NULL) AND (EXISTS ( SELECT
            FROM webhook_digests d
           WHERE ((d.org_id = one.org_id) AND (d.closes_at <= clock_timestamp())))))
  LIMIT orgs_with_closing_digests.most;
END;

CREATE OR REPLACE FUNCTION orgs_with_due_mail_codes(most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT d.org_id
    FROM ( SELECT m.org_id
            FROM mail_addresses m
           WHERE ((m.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND m.due_at <= clock_timestamp())
           ORDER BY m.due_at
          LIMIT orgs_with_due_mail_codes.most) d;
END;

CREATE OR REPLACE FUNCTION orgs_with_due_telemetry(quiet_since timestamp with time zone, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT due.org_id
    FROM (( SELECT w.org_id
            FROM waiting_calls w
           WHERE ((w.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND w.due_at < clock_timestamp())
           ORDER BY w.due_at
          LIMIT orgs_with_due_telemetry.most)
         UNION ALL
         ( SELECT p.org_id
            FROM telemetry_points p
           WHERE ((p.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (p.counted < p.value) AND (p.touched_at < orgs_with_due_telemetry.quiet_since))
           ORDER BY p.touched_at
          LIMIT orgs_with_due_telemetry.most)) due;
END;

CREATE OR REPLACE FUNCTION orgs_with_due_telemetry(quiet_since timestamp with time zone, after uuid, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH RECURSIVE waiting(org_id) AS (
          SELECT LEAST(( SELECT w.org_id
                    FROM waiting_calls w
                   WHERE (w.org_id > orgs_with_due_telemetry.after)
                   ORDER BY w.org_id, w.due_at
                  LIMIT 1), ( SELECT p.org_id
                    FROM telemetry_points p
                   WHERE ((p.org_id > orgs_with_due_telemetry.after) AND (p.counted < p.value))
                   ORDER BY p.org_id, p.touched_at
                  LIMIT 1)) AS "least"
         UNION ALL
          SELECT LEAST(( SELECT w.org_id
                    FROM waiting_calls w
                   WHERE (w.org_id > one_1.org_id)
                   ORDER BY w.org_id, w.due_at
                  LIMIT 1), ( SELECT p.org_id
                    FROM telemetry_points p
                   WHERE ((p.org_id > one_1.org_id) AND (p.counted < p.value))
                   ORDER BY p.org_id, p.touched_at
                  LIMIT 1)) AS "least"
            FROM waiting one_1
           WHERE (one_1.org_id IS NOT NULL)
         )
  SELECT one.org_id
    FROM waiting one
   WHERE ((one.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (one.org_id IS NOT NULL) AND ((EXISTS ( SELECT
            FROM waiting_calls w
           WHERE ((w.org_id = one.org_id) AND (w.due_at < clock_timestamp())))) OR (EXISTS ( SELECT
            FROM telemetry_points p
           WHERE ((p.org_id = one.org_id) AND (p.counted < p.value) AND (p.touched_at < orgs_with_due_telemetry.quiet_since))))))
  LIMIT orgs_with_due_telemetry.most;
END;

CREATE OR REPLACE FUNCTION orgs_with_overdue_approvals(most integer) RETURNS TABLE(org_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT o.org_id
    FROM ( SELECT a.org_id
            FROM approvals a
           WHERE ((a.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (a.status = ANY (ARRAY['pending'::text, 'approved'::text])) AND (a.expires_at <= now()))
           ORDER BY a.expires_at
          LIMIT orgs_with_overdue_approvals.most) o;
END;

CREATE OR REPLACE FUNCTION orgs_with_routes(after uuid, most integer) RETURNS TABLE(org_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT r.org_id
    FROM routes r
   WHERE ((r.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND r.org_id > orgs_with_routes.after)
   ORDER BY r.org_id
  LIMIT orgs_with_routes.most;
END;

CREATE OR REPLACE FUNCTION orgs_with_unwatched_reporting(most integer) RETURNS TABLE(org_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT r.org_id
    FROM key_reporting r
   WHERE ((r.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (r.day >= (((clock_timestamp() AT TIME ZONE 'UTC'::text))::date - 1)) AND (((r.unreported_runs > 0) AND (NOT r.told_unreported)) OR (((r.floor_nano IS NULL) OR (r.floor_nano < r.dearest_nano)) AND (EXISTS ( SELECT
            FROM trust_settings t
           WHERE ((t.org_id = r.org_id) AND (t.subject_id = ANY (ARRAY[r.org_id, r.lineage_id])) AND ((r.overrun_nano + r.late_nano) > (t.max_overrun_nano)::numeric)))))))
  LIMIT orgs_with_unwatched_reporting.most;
END;

CREATE OR REPLACE FUNCTION orgs_with_usage_deltas(after uuid, most integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
declare
  found_org uuid := after;
begin
  for i in 1..most loop
    select d.org_id into found_org from usage_deltas d where d.org_id > found_org and d.org_id <> all ((select closed_orgs())::uuid[]) order by d.org_id limit 1;
    exit when found_org is null;
    return next found_org;
  end loop;
end
$$;

CREATE OR REPLACE FUNCTION orgs_with_old_usage(before timestamp with time zone, after uuid, most integer) RETURNS TABLE(org_id uuid, is_old boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  org_id := after;
  for i in 1..most loop
    select u.org_id into org_id from usage_15m u where u.org_id > orgs_with_old_usage.org_id and u.org_id <> all ((select closed_orgs())::uuid[]) order by u.org_id limit 1;
    exit when org_id is null;
    is_old := exists (select from usage_15m u where u.org_id = orgs_with_old_usage.org_id and u.bucket < before);
    return next;
  end loop;
end
$$;

CREATE OR REPLACE FUNCTION replays_waiting(most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT r.org_id,
     r.id
    FROM webhook_replays r
   WHERE ((r.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND r.finished_at IS NULL)
   ORDER BY r.id
  LIMIT replays_waiting.most;
END;

CREATE OR REPLACE FUNCTION proved_domains(later_than text, most integer) RETURNS TABLE(org_id uuid, id uuid, domain text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT d.org_id,
     d.id,
     d.domain
    FROM sso_domains d
   WHERE ((d.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (d.verified_at IS NOT NULL) AND (d.domain > proved_domains.later_than))
   ORDER BY d.domain
  LIMIT proved_domains.most;
END;

CREATE OR REPLACE FUNCTION events_waiting() RETURNS TABLE(waiting bigint, oldest timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT count(*) AS count,
     min(w.created_at) AS min
    FROM ( SELECT o.created_at
            FROM outbox o
           WHERE (o.org_id <> ALL ((SELECT closed_orgs())::uuid[]))
           ORDER BY o.seq
          LIMIT 10000) w;
END;

CREATE OR REPLACE FUNCTION audit_chains_to_hand_over(newest text, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT h.org_id
    FROM audit_heads h
   WHERE ((h.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (h.seq > 0) AND ((h.mac_key_id <> audit_chains_to_hand_over.newest) OR (h.handed_over_to IS DISTINCT FROM audit_chains_to_hand_over.newest)))
   ORDER BY h.org_id
  LIMIT audit_chains_to_hand_over.most;
END;

CREATE OR REPLACE FUNCTION slack_secrets_sealed_with(key_ids text[], most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT a.org_id
    FROM slack_apps a
   WHERE ((a.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND ((sealed_with(a.sealed_signing_secret) = ANY (slack_secrets_sealed_with.key_ids)) OR (sealed_with(a.sealed_bot_token) = ANY (slack_secrets_sealed_with.key_ids))))
  LIMIT slack_secrets_sealed_with.most;
END;

CREATE OR REPLACE FUNCTION sso_secrets_sealed_with(key_ids text[], most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT c.org_id,
     c.id
    FROM sso_connections c
   WHERE ((c.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND sealed_with(c.sealed_secret) = ANY (sso_secrets_sealed_with.key_ids))
  LIMIT sso_secrets_sealed_with.most;
END;

CREATE OR REPLACE FUNCTION webhook_secrets_sealed_with(key_ids text[], most integer) RETURNS TABLE(org_id uuid, subscription_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT o.org_id,
     NULL::uuid AS uuid
    FROM webhook_org_secrets o
   WHERE ((o.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND sealed_with(o.sealed) = ANY (webhook_secrets_sealed_with.key_ids))
 UNION ALL
  SELECT w.org_id,
     w.id
    FROM webhook_subscriptions w
   WHERE ((w.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND ((sealed_with(w.sealed) = ANY (webhook_secrets_sealed_with.key_ids)) OR (sealed_with(w.sealed_previous) = ANY (webhook_secrets_sealed_with.key_ids)) OR (sealed_with(w.destination_sealed) = ANY (webhook_secrets_sealed_with.key_ids))))
 LIMIT webhook_secrets_sealed_with.most;
END;

CREATE OR REPLACE FUNCTION unused_keys(key_ids text[], since timestamp with time zone, most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT k.org_id,
     k.id
    FROM api_keys k
   WHERE ((k.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (k.mac_key_id = ANY (unused_keys.key_ids)) AND (k.revoked_at IS NULL) AND ((k.expires_at IS NULL) OR (k.expires_at > clock_timestamp())) AND (COALESCE(k.last_used_at, k.created_at) < unused_keys.since))
   ORDER BY k.id
  LIMIT unused_keys.most;
END;

CREATE OR REPLACE FUNCTION prune_run_keys(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH old AS (
          SELECT k.org_id,
             k.key
            FROM run_keys k
           WHERE ((k.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND k.seen_on < (((clock_timestamp() AT TIME ZONE 'UTC'::text))::date - 91))
          LIMIT prune_run_keys.most
          FOR UPDATE OF k SKIP LOCKED
         ), gone AS (
          DELETE FROM run_keys AS k
            USING old
           WHERE ((k.org_id = old.org_id) AND (k.key = old.key))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE OR REPLACE FUNCTION take_events(most integer) RETURNS TABLE(org_id uuid, id uuid, kind text, subject text, body jsonb, created_at timestamp with time zone, seq bigint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH taken AS (
          DELETE FROM outbox AS o
            USING ( SELECT w_1.org_id,
                     w_1.id
                    FROM outbox w_1
                   WHERE (w_1.org_id <> ALL ((SELECT closed_orgs())::uuid[]))
                   ORDER BY w_1.seq
                  LIMIT take_events.most
                  FOR UPDATE OF w_1 SKIP LOCKED) w
           WHERE ((o.org_id = w.org_id) AND (o.id = w.id))
           RETURNING o.org_id,
             o.id,
             o.kind,
             o.body,
             o.created_at,
             o.subject,
             o.seq
         )
  SELECT t.org_id,
     t.id,
     t.kind,
     t.subject,
     t.body,
     t.created_at,
     t.seq
    FROM taken t
   ORDER BY t.seq;
END;

CREATE OR REPLACE FUNCTION take_slack_apps(worker uuid, lease interval, most integer) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE slack_apps AS a SET leased_until = (clock_timestamp() + take_slack_apps.lease), leased_by = take_slack_apps.worker
    FROM ( SELECT d_1.org_id
            FROM slack_apps d_1
           WHERE ((d_1.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND d_1.enabled AND (d_1.due_at <= now()) AND (d_1.leased_until <= now()))
           ORDER BY d_1.due_at
          LIMIT take_slack_apps.most
          FOR UPDATE OF d_1 SKIP LOCKED) d
   WHERE (a.org_id = d.org_id)
   RETURNING a.org_id;
END;

CREATE OR REPLACE FUNCTION take_webhook_queues(worker uuid, lease interval, only_troubled boolean, most integer) RETURNS TABLE(org_id uuid, subscription_id uuid, width smallint, failures integer, latency_ms integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE webhook_queues AS q SET due_at = (clock_timestamp() + take_webhook_queues.lease), leased_by = take_webhook_queues.worker
    FROM ( SELECT d_1.org_id,
             d_1.subscription_id
            FROM webhook_queues d_1
           WHERE ((d_1.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (d_1.troubled = take_webhook_queues.only_troubled) AND (d_1.due_at <= now()))
           ORDER BY d_1.due_at
          LIMIT take_webhook_queues.most
          FOR UPDATE OF d_1 SKIP LOCKED) d
   WHERE ((q.org_id = d.org_id) AND (q.subscription_id = d.subscription_id))
   RETURNING q.org_id,
     q.subscription_id,
     q.width,
     q.failures,
     q.latency_ms;
END;

CREATE OR REPLACE FUNCTION doors_of_person(wanted uuid) RETURNS TABLE(member_id uuid, org_id uuid, org_name text, email text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT m.id,
     m.org_id,
     o.name,
     m.email
    FROM ((memberships m
      JOIN orgs o ON ((o.id = m.org_id)))
      LEFT JOIN session_policies s ON ((s.org_id = m.org_id)))
   WHERE ((m.org_id <> ALL ((SELECT closed_orgs())::uuid[])) AND (m.person_id = doors_of_person.wanted) AND (m.removed_at IS NULL) AND (m.deactivated_at IS NULL) AND (m.accepted_at IS NOT NULL) AND (o.status = 'active'::text) AND (COALESCE(s.sso, 'optional'::text) = 'optional'::text))
   ORDER BY o.name, m.org_id
  LIMIT 100;
END;

CREATE OR REPLACE FUNCTION caller_by_id(wanted uuid) RETURNS TABLE(kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text, not_before timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, grant_scope text, operator_key_id uuid, person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text, read_rpm integer, on_unavailable text, policies jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH caller AS (
          SELECT 'key'::text AS kind,
             k.org_id,
             k.id,
             k.lineage_id,
             k.role,
             k.scopes,
             k.pins,
             k.mac,
             k.mac_key_id,
             k.not_before,
             k.expires_at,
             k.revoked_at,
             NULL::text AS grant_scope,
             NULL::uuid AS operator_key_id,
             NULL::uuid AS person_id,
             NULL::text AS email,
             k.org_id AS listed_by
            FROM api_keys k
           WHERE (k.id = caller_by_id.wanted)
         UNION ALL
          SELECT 'support'::text,
             g.org_id,
             g.id,
             g.id,
             'operator'::text,
             '{}'::text[],
             '{}'::jsonb,
             g.mac,
             g.mac_key_id,
             NULL::timestamp with time zone,
             g.expires_at,
             COALESCE(g.revoked_at, ( SELECT k.revoked_at
                    FROM api_keys k
                   WHERE (k.id = g.operator_key_id))) AS "coalesce",
             g.scope,
             g.operator_key_id,
             NULL::uuid,
             NULL::text,
             '00000000-0000-0000-0000-000000000000'::uuid
            FROM support_grants g
           WHERE (g.id = caller_by_id.wanted)
         UNION ALL
          SELECT 'person'::text,
             m.org_id,
             m.id,
             m.id,
             m.role,
             '{}'::text[],
             '{}'::jsonb,
             decode(repeat('00'::text, 32), 'hex'::text) AS decode,
             ''::text,
             NULL::timestamp with time zone,
             NULL::timestamp with time zone,
             COALESCE(m.removed_at, m.deactivated_at) AS "coalesce",
             NULL::text,
             NULL::uuid,
             m.person_id,
             m.email,
             m.org_id
            FROM memberships m
           WHERE (m.id = caller_by_id.wanted)
         )
  SELECT c.kind,
     c.org_id,
     c.id,
     c.lineage_id,
     c.role,
     c.scopes,
     c.pins,
     c.mac,
     c.mac_key_id,
     c.not_before,
     c.expires_at,
     c.revoked_at,
     c.grant_scope,
     c.operator_key_id,
     c.person_id,
     c.email,
     org_standing(o.id, o.status),
     l.ip_allow_list,
     o.required_dimensions,
     o.home_region,
     o.residency,
     r.read_rpm,
     r.on_unavailable,
     COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match, 'amount', p.amount, 'window_seconds', p.window_seconds) ORDER BY p.id) AS jsonb_agg
            FROM rate_limit_policies p
           WHERE (p.org_id = c.org_id)), '[]'::jsonb) AS "coalesce"
    FROM (((caller c
      JOIN orgs o ON ((o.id = c.org_id)))
      JOIN orgs l ON ((l.id = c.listed_by)))
      LEFT JOIN org_rate_limits r ON ((r.org_id = c.org_id)));
END;

CREATE OR REPLACE FUNCTION directory_of_token(wanted uuid) RETURNS TABLE(id uuid, org_id uuid, digest bytea, revoked_at timestamp with time zone, org_status text, ip_allow_list text[], required_dimensions text[], read_rpm integer, on_unavailable text, policies jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT t.id,
     t.org_id,
     t.digest,
     t.revoked_at,
     org_standing(o.id, o.status),
     o.ip_allow_list,
     o.required_dimensions,
     r.read_rpm,
     r.on_unavailable,
     COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match, 'amount', p.amount, 'window_seconds', p.window_seconds) ORDER BY p.id) AS jsonb_agg
            FROM rate_limit_policies p
           WHERE (p.org_id = t.org_id)), '[]'::jsonb) AS "coalesce"
    FROM ((scim_tokens t
      JOIN orgs o ON ((o.id = t.org_id)))
      LEFT JOIN org_rate_limits r ON ((r.org_id = t.org_id)))
   WHERE (t.id = directory_of_token.wanted);
END;

CREATE OR REPLACE FUNCTION find_caller(wanted uuid) RETURNS TABLE(kind text, org_id uuid, id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text, not_before timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, grant_scope text, operator_key_id uuid, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text, read_rpm integer, on_unavailable text, policies jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH caller AS (
          SELECT 'key'::text AS kind,
             k.org_id,
             k.id,
             k.role,
             k.scopes,
             k.pins,
             k.mac,
             k.mac_key_id,
             k.not_before,
             k.expires_at,
             k.revoked_at,
             NULL::text AS grant_scope,
             NULL::uuid AS operator_key_id
            FROM api_keys k
           WHERE (k.id = find_caller.wanted)
         UNION ALL
          SELECT 'support'::text,
             g.org_id,
             g.id,
             'operator'::text,
             '{}'::text[],
             '{}'::jsonb,
             g.mac,
             g.mac_key_id,
             NULL::timestamp with time zone,
             g.expires_at,
             g.revoked_at,
             g.scope,
             g.operator_key_id
            FROM support_grants g
           WHERE (g.id = find_caller.wanted)
         )
  SELECT c.kind,
     c.org_id,
     c.id,
     c.role,
     c.scopes,
     c.pins,
     c.mac,
     c.mac_key_id,
     c.not_before,
     c.expires_at,
     c.revoked_at,
     c.grant_scope,
     c.operator_key_id,
     org_standing(o.id, o.status),
     o.ip_allow_list,
     o.required_dimensions,
     o.home_region,
     o.residency,
     r.read_rpm,
     r.on_unavailable,
     COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match, 'amount', p.amount, 'window_seconds', p.window_seconds) ORDER BY p.id) AS jsonb_agg
            FROM rate_limit_policies p
           WHERE (p.org_id = c.org_id)), '[]'::jsonb) AS "coalesce"
    FROM ((caller c
      JOIN orgs o ON ((o.id = c.org_id)))
      LEFT JOIN org_rate_limits r ON ((r.org_id = c.org_id)));
END;


insert into schema_compatibility (migration, min_compatible)
values ('0072_moves', '0069_schema_compatibility');
