set local lock_timeout = '5s';

-- What was known of a run when it was admitted and is not said by its other columns: who asked and when, what was expected of it,
-- and which rules had been asked. Only where rules were asked.
alter table runs add column admission json;

-- What rules mean by the time of day.
alter table orgs add column timezone text not null default 'UTC';

-- Where a key comes from: who asks for an approval must not give it by another key of its own making.
alter table api_keys add column rotated_from uuid, add column minted_by uuid;

-- What an organization's runs may do. Processes remember the rules of an organization by the version of the whole set.
create table policy_sets (
  org_id uuid primary key references orgs (id),
  version bigint not null
);
call protect_tenant_table('policy_sets');
grant select, insert, update on policy_sets to weir_app;

create table policy_rules (
  org_id uuid not null references orgs (id),
  id uuid not null,
  name text not null,
  effect text not null check (effect in ('block', 'require_approval', 'allow')),
  target text not null check (target in ('model', 'action')),
  priority integer not null,
  expression text not null,
  reason text not null,
  enabled boolean not null,
  shadow boolean not null,
  -- An approval is for a rule as it was when it asked for one.
  version integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create index policy_rules_order on policy_rules (org_id, priority, id);
call protect_tenant_table('policy_rules');
grant select, insert, update, delete on policy_rules to weir_app;

-- What rules have refused, and what those in shadow would have: one row for everything alike within a minute, so that an agent
-- which loops on a refusal does not turn each answer into a row. Judged again by back-tests.
create table policy_matches (
  org_id uuid not null,
  minute timestamptz not null,
  id uuid not null,
  rule_id uuid not null,
  rule_version integer not null,
  set_version bigint not null,
  outcome text not null check (outcome in ('block', 'require_approval', 'allow', 'error')),
  shadow boolean not null,
  attempt_hash bytea not null,
  attempt jsonb not null,
  count bigint not null,
  primary key (org_id, minute, rule_id, shadow, set_version, attempt_hash)
) partition by range (minute);
create index policy_matches_rule on policy_matches (org_id, rule_id, minute);
call protect_tenant_table('policy_matches');
grant select, insert, update on policy_matches to weir_app;

-- What an approver was asked, and what was granted. How much of a grant is used is said by its allowances.
create table approvals (
  org_id uuid not null references orgs (id),
  id uuid not null,
  status text not null check (status in ('pending', 'approved', 'denied', 'expired')),
  rule_id uuid not null,
  rule_version integer not null,
  rule_name text not null,
  reason text not null,
  -- What makes two attempts the same one.
  fingerprint bytea not null,
  attempted text not null,
  attempt jsonb not null,
  estimated_nano bigint not null,
  requested_by uuid not null,
  decided_by uuid,
  decided_at timestamptz,
  note text,
  max_runs integer check (max_runs > 0),
  max_amount_nano bigint check (max_amount_nano >= 0),
  -- Of what is pending: when nobody is waited for any longer. Of what is decided: how long it stands.
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create unique index approvals_one_pending on approvals (org_id, rule_id, rule_version, fingerprint) where status = 'pending';
create index approvals_of_attempt on approvals (org_id, rule_id, rule_version, fingerprint, id);
create index approvals_created_at on approvals (org_id, created_at, id);
create index approvals_overdue on approvals (expires_at) where status in ('pending', 'approved');
call protect_tenant_table('approvals');
grant select, insert, update on approvals to weir_app;

-- Organizations with approvals whose time is over: the expirer's one look across tenants, which sees ids only.
create function orgs_with_overdue_approvals(most integer) returns table (org_id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select distinct o.org_id from (
      select a.org_id from approvals a
       where a.status in ('pending', 'approved') and a.expires_at <= now() order by a.expires_at limit most) o;
  end;
revoke execute on function orgs_with_overdue_approvals(integer) from public;
grant execute on function orgs_with_overdue_approvals(integer) to weir_app;
create policy expiring on approvals for select to current_user using (true);

-- Which detectors look at what is submitted, and what they do when they find something.
create table content_safety (
  org_id uuid primary key references orgs (id),
  settings jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
call protect_tenant_table('content_safety');
grant select, insert, update on content_safety to weir_app;

-- Models that runs can be routed to. What they cost is said by the price book.
create table routing_models (
  org_id uuid not null references orgs (id),
  id uuid not null,
  model text not null,
  provider text,
  region text,
  capabilities text[] not null default '{}',
  context_tokens bigint,
  latency_ms integer,
  enabled boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create unique index routing_models_name on routing_models (org_id, model, coalesce(provider, ''));
create index routing_models_created_at on routing_models (org_id, created_at, id);
call protect_tenant_table('routing_models');
grant select, insert, update, delete on routing_models to weir_app;

-- How models did in suites, as told by whoever runs them. The latest of a suite and model counts.
create table eval_results (
  org_id uuid not null references orgs (id),
  id uuid not null,
  suite text not null,
  model text not null,
  provider text,
  score double precision not null,
  samples integer not null,
  latency_ms integer,
  measured_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create index eval_results_latest on eval_results (org_id, suite, model, coalesce(provider, ''), measured_at desc, id desc);
create index eval_results_created_at on eval_results (org_id, created_at, id);
call protect_tenant_table('eval_results');
grant select, insert, delete on eval_results to weir_app;

create table routes (
  org_id uuid not null references orgs (id),
  id uuid not null,
  name text not null,
  definition jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create unique index routes_name on routes (org_id, name);
create index routes_created_at on routes (org_id, created_at, id);
call protect_tenant_table('routes');
grant select, insert, update, delete on routes to weir_app;

-- Of which results it was told that they have become too old for a route.
create table eval_expiries (
  org_id uuid not null,
  route_id uuid not null,
  eval_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, route_id, eval_id),
  foreign key (org_id, route_id) references routes (org_id, id) on delete cascade
);
call protect_tenant_table('eval_expiries');
grant select, insert on eval_expiries to weir_app;

-- Organizations that route: the one look across tenants of whoever tells of results that have become too old.
create function orgs_with_routes(after uuid, most integer) returns table (org_id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select distinct r.org_id from routes r where r.org_id > after order by r.org_id limit most;
  end;
revoke execute on function orgs_with_routes(uuid, integer) from public;
grant execute on function orgs_with_routes(uuid, integer) to weir_app;
create policy routing on routes for select to current_user using (true);

-- How many days of each table that is cut by time nobody may drop. A later migration adds its tables here.
create table kept_days (
  parent text primary key,
  days integer not null check (days > 0)
);
insert into kept_days values
  ('idempotency_keys', 2), ('holds', 8), ('decision_records', 8), ('ledger_batches', 35), ('movements', 35),
  ('runs_7', 7 + 1), ('runs_30', 30 + 1), ('runs_90', 90 + 7), ('runs_400', 400 + 28), ('runs_3650', 3650 + 28),
  ('events', 30 + 1), ('webhook_deliveries', 30 + 1), ('policy_matches', 90 + 1);

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
    select from holds where state = 'open' and tableoid = to_regclass(quote_ident('holds_' || suffix))
  ) then
    raise exception 'holds of % are still open', suffix;
  end if;
  set local lock_timeout = '200ms';
  execute format('drop table if exists %I', parent || '_' || suffix);
end
$$;
