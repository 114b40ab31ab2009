set local lock_timeout = '5s';

-- One row per organization: the lock under which its money moves, the number of its last batch, and the version of its
-- limits, so that a process cannot decide by limits that it has not heard of.
create table org_ledgers (
  org_id uuid primary key,
  seq bigint not null default 0,
  config_version bigint not null default 1
) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
insert into org_ledgers (org_id) select id from orgs;
call protect_tenant_table('org_ledgers');
grant select, insert, update on org_ledgers to weir_app;

-- What an organization has set: spend cap, budgets, plan. Few per organization; processes remember them by version. The
-- amount is nano-dollars, or whole runs or tokens; null counts without limiting.
create table limits (
  org_id uuid not null references orgs (id),
  id uuid not null,
  kind text not null check (kind in ('spend_cap', 'budget', 'plan')),
  name text not null,
  scope_kind text not null check (scope_kind in ('org', 'department', 'workflow', 'deployment')),
  scope_id text not null default '',
  unit text not null check (unit in ('usd', 'runs', 'tokens')),
  amount bigint check (amount >= 0),
  period text not null check (period in ('day', 'week', 'month', 'quarter', 'year')),
  anchor date,
  timezone text not null,
  -- A changed schedule begins where the running period ends: a change never resets what was spent.
  next_period text check (next_period in ('day', 'week', 'month', 'quarter', 'year')),
  next_anchor date,
  next_timezone text,
  next_from timestamptz,
  enforcement text not null check (enforcement in ('block', 'alert')),
  thresholds smallint[] not null default '{}',
  ended_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id),
  check ((scope_kind = 'org') = (scope_id = '')),
  check ((next_from is null) = (next_period is null) and (next_from is null) = (next_timezone is null))
);
create unique index limits_one_spend_cap on limits (org_id) where kind = 'spend_cap' and ended_at is null;
create unique index limits_one_plan on limits (org_id, unit) where kind = 'plan' and ended_at is null;
create index limits_created_at on limits (org_id, kind, created_at, id);
call protect_tenant_table('limits');
grant select, insert, update on limits to weir_app;

-- One row per customer with a limit of its own, perhaps millions; read inside the decision. The row of the customer ''
-- is the default for all others.
create table customer_limits (
  org_id uuid not null references orgs (id),
  customer_id text not null,
  id uuid not null,
  amount bigint check (amount >= 0),
  period text not null check (period in ('day', 'week', 'month', 'quarter', 'year')),
  anchor date,
  timezone text not null,
  next_period text check (next_period in ('day', 'week', 'month', 'quarter', 'year')),
  next_anchor date,
  next_timezone text,
  next_from timestamptz,
  max_new_customers_per_day integer,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, customer_id),
  check ((next_from is null) = (next_period is null) and (next_from is null) = (next_timezone is null)),
  check ((customer_id = '') = (max_new_customers_per_day is not null))
);
-- For lists; a look-up by customer cannot use it, whatever the planner knows of the table.
create index customer_limits_created_at on customer_limits (org_id, created_at, id) where customer_id <> '';
call protect_tenant_table('customer_limits');
grant select, insert, update, delete on customer_limits to weir_app;

-- Prepaid amounts that are drawn down: credit packs of a customer, and, for the owner '', top-ups of the organization's quota.
create table packs (
  org_id uuid not null references orgs (id),
  owner text not null,
  id uuid not null,
  name text not null,
  amount bigint not null check (amount > 0),
  priority integer not null default 100,
  expires_at timestamptz,
  voided_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, owner, id)
);
create unique index packs_id on packs (id);
create index packs_created_at on packs (org_id, owner, created_at, id);
call protect_tenant_table('packs');
grant select, insert, update on packs to weir_app;

-- Prices in pico-dollars per token. A model has the price of the newest entry in effect; the built-in list is in the program.
create table prices (
  org_id uuid not null references orgs (id),
  id uuid not null,
  model text not null,
  provider text not null default '',
  input_pico bigint not null check (input_pico >= 0),
  output_pico bigint not null check (output_pico >= 0),
  cache_read_pico bigint not null check (cache_read_pico >= 0),
  cache_write_pico bigint not null check (cache_write_pico >= 0),
  max_output_tokens integer check (max_output_tokens > 0),
  effective_from timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create unique index prices_of_model on prices (org_id, model, provider, effective_from);
call protect_tenant_table('prices');
grant select, insert, delete on prices to weir_app;

create table price_settings (
  org_id uuid primary key references orgs (id),
  min_hold_nano bigint not null check (min_hold_nano >= 0),
  unpriced_ceiling_nano bigint check (unpriced_ceiling_nano > 0),
  default_max_output_tokens integer not null check (default_max_output_tokens > 0),
  updated_at timestamptz not null default clock_timestamp()
);
call protect_tenant_table('price_settings');
grant select, insert, update on price_settings to weir_app;

create table unpriced_models (
  org_id uuid not null references orgs (id),
  model text not null,
  provider text not null default '',
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  primary key (org_id, model, provider)
);
call protect_tenant_table('unpriced_models');
grant select, insert, update on unpriced_models to weir_app;

-- One limit in one period. Its key is a hash of limit, subject, unit and period, so two processes cannot make two of it. The
-- limit's amount is not here: changing a default must not rewrite millions of rows. Written only under the organization's lock.
create table allowances (
  org_id uuid not null,
  key uuid not null,
  limit_id uuid not null,
  kind text not null,
  subject text not null,
  unit text not null,
  period_label text not null,
  period_start timestamptz,
  period_end timestamptz,
  spent bigint not null default 0 check (spent >= 0),
  held bigint not null default 0 check (held >= 0),
  -- The parts of what was spent that no limit could refuse: cost above its hold, and cost that came after its hold had ended.
  overrun bigint not null default 0,
  late bigint not null default 0,
  would_refuse bigint not null default 0,
  -- The batch that wrote it last.
  last_seq bigint not null,
  primary key (org_id, key)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
-- Only columns that never change, so that updates stay within their page.
-- Not led by the organization: a plan made while the table was small must have no other way to a key than the key.
create index allowances_limit on allowances (limit_id, period_start);
call protect_tenant_table('allowances');
grant select, insert, update on allowances to weir_app;

-- What a decision reserved, on which allowances, and (in `inputs`) what it was asked with and had read there. Partitioned by the time inside the id. In `draws`
-- 0 is an amount held on each allowance, any other number a group of packs that share one amount; empty where all are 0.
-- One amount stands for all of the keys.
create table holds (
  org_id uuid not null,
  id uuid not null,
  state text not null check (state in ('open', 'settled', 'released', 'expired')),
  on_expiry text not null check (on_expiry in ('release', 'charge')),
  held_at timestamptz not null,
  expires_at timestamptz not null,
  seq bigint not null,
  amount_nano bigint not null,
  keys uuid[] not null,
  amounts bigint[] not null,
  draws smallint[] not null,
  -- Written once and read seldom: kept as it came.
  inputs json not null,
  ended_at timestamptz,
  ended_seq bigint,
  charged_nano bigint,
  overrun_nano bigint,
  primary key (org_id, id)
) partition by range (id);
create index holds_expiring on holds (expires_at) where state = 'open';
call protect_tenant_table('holds');
grant select, insert, update on holds to weir_app;

-- The journal: every movement of money, once, never changed. The sum of an allowance's movements is its row. A column of changes
-- is empty where nothing changed, and has one element where all keys changed by the same.
create table movements (
  org_id uuid not null,
  seq bigint not null,
  idx integer not null,
  at timestamptz not null,
  kind text not null check (kind in ('hold', 'settle', 'release', 'expire', 'charge', 'adjust')),
  hold_id uuid,
  keys uuid[] not null,
  d_spent bigint[] not null,
  d_held bigint[] not null,
  d_overrun bigint[] not null,
  d_late bigint[] not null,
  actor jsonb,
  reason text,
  primary key (org_id, seq, idx, at)
) partition by range (at);
-- Rows arrive in the order of time, so the least of indexes finds a window.
create index movements_at on movements using brin (at);
call protect_tenant_table('movements');
grant select, insert on movements to weir_app;

-- What a batch left behind, so that the journal can be checked from any point on.
create table ledger_batches (
  org_id uuid not null,
  seq bigint not null,
  at timestamptz not null,
  keys uuid[] not null,
  spent_after bigint[] not null,
  held_after bigint[] not null,
  -- The batch before that touched each of the keys; 0 where there was none.
  prev_seq bigint[] not null,
  decide_version smallint not null,
  primary key (org_id, seq, at)
) partition by range (at);
call protect_tenant_table('ledger_batches');
grant select, insert on ledger_batches to weir_app;

-- How far the books of an organization have been checked.
create table ledger_checks (
  org_id uuid primary key,
  seq bigint not null,
  checked_at timestamptz not null default clock_timestamp()
);
call protect_tenant_table('ledger_checks');
grant select, insert, update on ledger_checks to weir_app;

-- Decisions that hold nothing (refusals, a sample of them, and dry runs), kept for their explanation.
create table decision_records (
  org_id uuid not null,
  id uuid not null,
  body jsonb not null,
  primary key (org_id, id)
) partition by range (id);
call protect_tenant_table('decision_records');
grant select, insert on decision_records to weir_app;

-- A threshold is crossed once per allowance; 0 stands for the limit itself passed by cost that could not be refused.
create table threshold_events (
  org_id uuid not null,
  key uuid not null,
  threshold smallint not null,
  at timestamptz not null,
  primary key (org_id, key, threshold)
);
call protect_tenant_table('threshold_events');
grant select, insert, delete on threshold_events to weir_app;

-- Events of committed transactions, waiting to be delivered. No transaction that moves money notifies anybody.
create table outbox (
  org_id uuid not null,
  id uuid not null,
  kind text not null,
  body jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
call protect_tenant_table('outbox');
grant select, insert, delete on outbox to weir_app;

-- A statement that reached fewer rows than it was meant to ends its transaction.
create function assert_rows(reached bigint, meant bigint) returns void
  language plpgsql as $$
begin
  if reached <> meant then
    raise exception 'a ledger statement reached % rows instead of %', reached, meant using errcode = 'WE001';
  end if;
end
$$;

-- Holds whose lease is over, of all organizations: the sweeper's one look across tenants, which sees ids only.
create function expired_holds(before timestamptz, most integer) returns table (org_id uuid, id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select h.org_id, h.id from holds h where h.state = 'open' and h.expires_at < before order by h.expires_at limit most;
  end;
revoke execute on function expired_holds(timestamptz, integer) from public;
grant execute on function expired_holds(timestamptz, integer) to weir_app;
create policy sweeping on holds for select to current_user using (true);

create function ledgers_to_check(after uuid, most integer, even_if_checked boolean) returns setof uuid
  language sql stable security definer set search_path = public
  begin atomic
    select l.org_id from org_ledgers l left join ledger_checks c on c.org_id = l.org_id
     where l.org_id > after and (even_if_checked or l.seq > coalesce(c.seq, 0)) order by l.org_id limit most;
  end;
revoke execute on function ledgers_to_check(uuid, integer, boolean) from public;
grant execute on function ledgers_to_check(uuid, integer, boolean) to weir_app;
create policy checking on org_ledgers for select to current_user using (true);
create policy checking on ledger_checks for select to current_user using (true);

-- Days that nobody needs any more go whole. How long each table is kept is a floor: no process can drop less.
drop function drop_idempotency_partition(text);
create function drop_partition(parent text, suffix text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  kept_days integer := case parent
    when 'idempotency_keys' then 2 when 'holds' then 8 when 'decision_records' then 8
    when 'ledger_batches' then 35 when 'movements' then 35 end;
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
revoke execute on function drop_partition(text, text) from public;
grant execute on function drop_partition(text, text) to weir_app;
