set local lock_timeout = '5s';

-- What ran and what it cost, written when it ends: a running run is its hold. The time inside the id is when it started. Listed by
-- how long the organization keeps its runs, then cut by time, so that what is old goes as whole tables.
create table runs (
  org_id uuid not null,
  class smallint not null,
  id uuid not null,
  status text not null check (status in ('succeeded', 'failed', 'cancelled', 'expired')),
  model text not null,
  provider text,
  operation text,
  action text,
  workflow_id text,
  deployment_id text,
  department_id text,
  customer_id text,
  chain_id text,
  parent_run_id uuid,
  depth integer,
  external_id text,
  hold_id uuid,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_input_tokens bigint,
  cache_creation_input_tokens bigint,
  reasoning_output_tokens bigint,
  cost_nano bigint not null check (cost_nano >= 0),
  -- Told by the caller, computed from the tokens, or, where neither was known, what had been held.
  cost_basis text not null check (cost_basis in ('reported', 'computed', 'estimated')),
  reserved_nano bigint,
  overrun_nano bigint not null default 0,
  value_nano bigint,
  tags text[] not null default '{}',
  metadata json,
  started_at timestamptz not null,
  ended_at timestamptz,
  recorded_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id, class)
) partition by list (class);
create index runs_cost on runs (org_id, cost_nano, id);
create index runs_chain on runs (org_id, chain_id, id) where chain_id is not null;
create index runs_customer on runs (org_id, customer_id, id) where customer_id is not null;
call protect_tenant_table('runs');
grant select, insert, update, delete on runs to weir_app;

create table runs_7 partition of runs for values in (7) partition by range (id);
create table runs_30 partition of runs for values in (30) partition by range (id);
create table runs_90 partition of runs for values in (90) partition by range (id);
create table runs_400 partition of runs for values in (400) partition by range (id);
create table runs_3650 partition of runs for values in (3650) partition by range (id);

-- Whatever names a run once: `e:` and the caller's id, or `r:` and the reservation that it settled. No hash for a run that was
-- started and not ingested. Kept for 90 days; cut by hash, because a key that is unique over time cannot be cut by time.
create table run_keys (
  org_id uuid not null,
  key text collate "C" not null,
  run_id uuid not null,
  content_hash bytea,
  seen_on date not null,
  primary key (org_id, key)
) partition by hash (org_id, key);
create index run_keys_seen_on on run_keys using brin (seen_on);
call protect_tenant_table('run_keys');
grant select, insert, delete on run_keys to weir_app;

do $$
declare
  part text;
begin
  for i in 0..15 loop
    part := 'run_keys_' || i;
    execute format('create table %I partition of run_keys for values with (modulus 16, remainder %s)', part, i);
  end loop;
  for part in select c.relname from pg_class c where c.relname ~ '^(run_keys|runs)_[0-9]+$' and c.relkind in ('r', 'p') loop
    execute format('call protect_tenant_table(%L)', part);
  end loop;
end
$$;

-- Trees of runs with one budget. What bounds a chain is fixed by its first run; what it has used is in its allowances. Read
-- inside the decision, as customers' limits are.
create table chains (
  org_id uuid not null,
  chain_id text collate "C" not null,
  root_run_id uuid not null,
  max_cost_nano bigint check (max_cost_nano >= 0),
  max_tokens bigint check (max_tokens >= 0),
  max_depth integer check (max_depth > 0),
  -- The allowances that count it.
  cost_key uuid not null,
  tokens_key uuid not null,
  last_used_at timestamptz not null,
  created_at timestamptz not null,
  primary key (org_id, chain_id)
) with (fillfactor = 70);
call protect_tenant_table('chains');
grant select, insert, update, delete on chains to weir_app;

-- What bounds new chains: of one workflow, or (for the workflow '') of all others.
create table chain_limits (
  org_id uuid not null references orgs (id),
  workflow_id text not null,
  max_cost_nano bigint check (max_cost_nano >= 0),
  max_tokens bigint check (max_tokens >= 0),
  max_depth integer check (max_depth > 0),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, workflow_id)
);
call protect_tenant_table('chain_limits');
grant select, insert, update, delete on chain_limits to weir_app;

-- How long an organization keeps its runs. A change concerns runs that are recorded after it, so older ones may stand in other
-- classes: those that were ever used are listed.
create table retention_policies (
  org_id uuid primary key references orgs (id),
  raw_days integer not null check (raw_days between 1 and 3650),
  class smallint not null,
  classes smallint[] not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
call protect_tenant_table('retention_policies');
grant select, insert, update on retention_policies to weir_app;

-- Which classes need tables to write to.
create function retention_classes_in_use() returns setof smallint
  language sql stable security definer set search_path = public
  begin atomic
    select distinct unnest(p.classes) from retention_policies p;
  end;
revoke execute on function retention_classes_in_use() from public;
grant execute on function retention_classes_in_use() to weir_app;
create policy keeping on retention_policies for select to current_user using (true);

-- Usage by quarter of an hour (days form from them in every time zone), by whole UTC days once it is old, and by customer and day. What was
-- just recorded is appended as deltas and folded later; whoever reads adds both. A dimension that a run does not have is ''.
create table usage_15m (
  org_id uuid not null,
  bucket timestamptz not null,
  model text not null,
  provider text not null,
  workflow_id text not null,
  deployment_id text not null,
  department_id text not null,
  runs bigint not null,
  failed_runs bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_input_tokens bigint not null,
  cache_creation_input_tokens bigint not null,
  reasoning_output_tokens bigint not null,
  cost_nano numeric(28) not null,
  estimated_nano numeric(28) not null,
  overrun_nano numeric(28) not null,
  value_nano numeric(28) not null,
  duration_ms bigint not null,
  timed_runs bigint not null,
  primary key (org_id, bucket, model, provider, workflow_id, deployment_id, department_id)
);
call protect_tenant_table('usage_15m');
grant select, insert, update, delete on usage_15m to weir_app;

create table usage_days (like usage_15m including defaults including constraints including indexes);
call protect_tenant_table('usage_days');
grant select, insert, update, delete on usage_days to weir_app;

create table usage_customer_days (
  org_id uuid not null,
  day date not null,
  customer_id text not null,
  runs bigint not null,
  failed_runs bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_input_tokens bigint not null,
  cache_creation_input_tokens bigint not null,
  reasoning_output_tokens bigint not null,
  cost_nano numeric(28) not null,
  estimated_nano numeric(28) not null,
  overrun_nano numeric(28) not null,
  value_nano numeric(28) not null,
  duration_ms bigint not null,
  timed_runs bigint not null,
  primary key (org_id, day, customer_id)
);
call protect_tenant_table('usage_customer_days');
grant select, insert, update, delete on usage_customer_days to weir_app;

-- A row with a customer counts for the customer's day only, one without for the other dimensions only.
create table usage_deltas (
  org_id uuid not null,
  id uuid not null,
  bucket timestamptz not null,
  model text not null,
  provider text not null,
  workflow_id text not null,
  deployment_id text not null,
  department_id text not null,
  customer_id text,
  runs bigint not null,
  failed_runs bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_input_tokens bigint not null,
  cache_creation_input_tokens bigint not null,
  reasoning_output_tokens bigint not null,
  cost_nano numeric(28) not null,
  estimated_nano numeric(28) not null,
  overrun_nano numeric(28) not null,
  value_nano numeric(28) not null,
  duration_ms bigint not null,
  timed_runs bigint not null,
  primary key (org_id, id)
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
call protect_tenant_table('usage_deltas');
grant select, insert, delete on usage_deltas to weir_app;

-- Organizations with deltas to fold, in order: found one after the other through the key, however many deltas each has.
create function orgs_with_usage_deltas(after uuid, most integer) returns setof uuid
  language plpgsql stable security definer set search_path = public as $$
declare
  found_org uuid := after;
begin
  for i in 1..most loop
    select d.org_id into found_org from usage_deltas d where d.org_id > found_org order by d.org_id limit 1;
    exit when found_org is null;
    return next found_org;
  end loop;
end
$$;
revoke execute on function orgs_with_usage_deltas(uuid, integer) from public;
grant execute on function orgs_with_usage_deltas(uuid, integer) to weir_app;
create policy folding on usage_deltas for select to current_user using (true);

-- The next organizations with usage by quarters of an hour, and whether some of it has become old: one that has none is told
-- too, so that who asks knows how far the look went.
create function orgs_with_old_usage(before timestamptz, after uuid, most integer) returns table (org_id uuid, is_old boolean)
  language plpgsql stable security definer set search_path = public as $$
begin
  org_id := after;
  for i in 1..most loop
    select u.org_id into org_id from usage_15m u where u.org_id > orgs_with_old_usage.org_id order by u.org_id limit 1;
    exit when org_id is null;
    is_old := exists (select from usage_15m u where u.org_id = orgs_with_old_usage.org_id and u.bucket < before);
    return next;
  end loop;
end
$$;
revoke execute on function orgs_with_old_usage(timestamptz, uuid, integer) from public;
grant execute on function orgs_with_old_usage(timestamptz, uuid, integer) to weir_app;
create policy folding on usage_15m for select to current_user using (true);

-- Keys and chains that nobody can need any more, some at a time.
create function prune_run_keys(most integer) returns bigint
  language sql security definer set search_path = public
  begin atomic
    with old as (
      select k.org_id, k.key from run_keys k where k.seen_on < (clock_timestamp() at time zone 'UTC')::date - 91
       limit most for update skip locked),
    gone as (delete from run_keys k using old where k.org_id = old.org_id and k.key = old.key returning 1)
    select count(*) from gone;
  end;
revoke execute on function prune_run_keys(integer) from public;
grant execute on function prune_run_keys(integer) to weir_app;
create policy pruning on run_keys for all to current_user using (true);

-- Walks through the chains in the order of their key, some at a time: an index on their last use would make every use dearer. A
-- chain goes only under the lock of its organization, so that no decision has just read it; one that is locked is met tomorrow. With it
-- go its counters: after 45 days the batches that wrote them are gone, so that no check of the books misses them.
create function prune_chains(after_org uuid, after_chain text, most integer)
  returns table (gone bigint, org_id uuid, chain_id text)
  language sql security definer set search_path = public
  begin atomic
    with looked_at as materialized (
      select c.org_id, c.chain_id, c.last_used_at from chains c
       where (c.org_id, c.chain_id) > (after_org, after_chain collate "C") order by c.org_id, c.chain_id limit most),
    last as (select l.org_id, l.chain_id from looked_at l order by l.org_id desc, l.chain_id desc limit 1),
    locked as materialized (
      select o.org_id from org_ledgers o
       where o.org_id in (select l.org_id from looked_at l where l.last_used_at < clock_timestamp() - interval '45 days')
       for no key update skip locked),
    gone as (
      delete from chains c using looked_at l, locked o
       where l.org_id = o.org_id and c.org_id = l.org_id and c.chain_id = l.chain_id
         and c.last_used_at < clock_timestamp() - interval '45 days' returning c.org_id, c.cost_key, c.tokens_key),
    uncounted as (
      delete from allowances a using gone g
       where a.org_id = g.org_id and a.key in (g.cost_key, g.tokens_key) and a.held = 0)
    select (select count(*) from gone), (select last.org_id from last), (select last.chain_id from last);
  end;
revoke execute on function prune_chains(uuid, text, integer) from public;
grant execute on function prune_chains(uuid, text, integer) to weir_app;
create policy pruning on chains for all to current_user using (true);
create policy pruning on allowances for all to current_user using (true);
create policy pruning on org_ledgers for update to current_user using (true);

-- Running runs, newest first. Only what is started holds with a charge at its end.
create index holds_running on holds (org_id, id) where state = 'open' and on_expiry = 'charge';

-- Runs of a class go once the last of a table is older than the class says; tables of the longer classes span more days.
create or replace function drop_partition(parent text, suffix text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  kept_days integer := case parent
    when 'idempotency_keys' then 2 when 'holds' then 8 when 'decision_records' then 8
    when 'ledger_batches' then 35 when 'movements' then 35
    when 'runs_7' then 7 + 1 when 'runs_30' then 30 + 1 when 'runs_90' then 90 + 7
    when 'runs_400' then 400 + 28 when 'runs_3650' then 3650 + 28 end;
begin
  if kept_days is null or suffix !~ '^[0-9]{8}$' then raise exception 'not a table whose days are dropped: %', parent; end if;
  if to_date(suffix, 'YYYYMMDD') > (clock_timestamp() at time zone 'UTC')::date - kept_days then
    raise exception '% of % is still needed', suffix, parent;
  end if;
  -- What is still held must be given back first: without its row nobody could.
  if parent = 'holds' and exists (
    select from holds where state = 'open' and tableoid = to_regclass(quote_ident('holds_' || suffix))
  ) then
    raise exception 'holds of % are still open', suffix;
  end if;
  set local lock_timeout = '200ms';
  execute format('drop table if exists %I', parent || '_' || suffix);
end
$$;
