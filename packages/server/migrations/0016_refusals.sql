set local lock_timeout = '5s';

-- Calls that were refused. Alike ones of a minute are one row: its id has the minute as its time, and for the rest a hash of what
-- they have in common, so that processes which have never heard of each other reach the same row.
create table refusals (
  org_id uuid not null,
  id uuid not null,
  error_code text not null,
  -- The limit or rule that refused, as the API writes its id.
  decided_by text,
  surface text not null,
  key_id text,
  model text,
  workflow_id text,
  deployment_id text,
  department_id text,
  customer_id text,
  chain_id text,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  message text not null,
  -- The explanation of the first of them.
  body jsonb not null,
  primary key (org_id, id)
) partition by range (id);
create index refusals_decided_by on refusals (org_id, decided_by, id);
create index refusals_chain on refusals (org_id, chain_id, id) where chain_id is not null;
call protect_tenant_table('refusals');
grant select, insert, update on refusals to weir_app;
insert into kept_days values ('refusals', 30 + 1);

-- How many of these rows a day of an organization has: beyond a bound refusals are only counted.
create table refusal_days (
  org_id uuid not null,
  day date not null,
  listed integer not null default 0,
  primary key (org_id, day)
);
call protect_tenant_table('refusal_days');
grant select, insert, update on refusal_days to weir_app;

-- How often a limit has refused for one subject in one period. Not in the allowance: a refused request does not touch the ledger.
create table limit_refusals (
  org_id uuid not null,
  key uuid not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (org_id, key)
);
call protect_tenant_table('limit_refusals');
grant select, insert, update on limit_refusals to weir_app;
comment on column threshold_events.threshold is
  'Percent of the limit; 0 is the limit itself passed by cost that could not be refused, -1 the first call that it refused.';

insert into pruned_rows values
  ('refusal_days', $$t.day < (clock_timestamp() at time zone 'UTC')::date - 31$$),
  ('limit_refusals', $$t.last_at < clock_timestamp() - interval '400 days'$$);
create index refusal_days_day on refusal_days using brin (day);
create index limit_refusals_last_at on limit_refusals using brin (last_at);
create policy pruning on refusal_days for all to current_user using (true);
create policy pruning on limit_refusals for all to current_user using (true);

-- Benchmarks compare what limits and rules have refused: not how fast somebody asked, nor models that nobody has priced.
create or replace function benchmark_sums(of_org uuid, since timestamptz, until timestamptz)
  returns table (
    runs float8, failed_runs float8, input_tokens float8, output_tokens float8, cache_read_input_tokens float8, cost_nano float8,
    duration_ms float8, timed_runs float8, refusals float8)
  language sql stable
  begin atomic
    select coalesce(sum(u.runs), 0)::float8, coalesce(sum(u.failed_runs), 0)::float8, coalesce(sum(u.input_tokens), 0)::float8,
           coalesce(sum(u.output_tokens), 0)::float8, coalesce(sum(u.cache_read_input_tokens), 0)::float8,
           coalesce(sum(u.cost_nano), 0)::float8, coalesce(sum(u.duration_ms), 0)::float8, coalesce(sum(u.timed_runs), 0)::float8,
           (select coalesce(sum(r.count), 0)::float8 from refusal_counts r
             where r.org_id = of_org and r.day >= (since at time zone 'UTC')::date and r.day < (until at time zone 'UTC')::date
               and r.error_code not in ('rate_limited', 'validation_failed', 'no_model_passes_eval', 'policy_expression_error'))
      from (
        select f.runs, f.failed_runs, f.input_tokens, f.output_tokens, f.cache_read_input_tokens, f.cost_nano, f.duration_ms, f.timed_runs
          from usage_15m f where f.org_id = of_org and f.bucket >= since and f.bucket < until
        union all
        select f.runs, f.failed_runs, f.input_tokens, f.output_tokens, f.cache_read_input_tokens, f.cost_nano, f.duration_ms, f.timed_runs
          from usage_days f where f.org_id = of_org and f.bucket >= since and f.bucket < until
        union all
        select f.runs, f.failed_runs, f.input_tokens, f.output_tokens, f.cache_read_input_tokens, f.cost_nano, f.duration_ms, f.timed_runs
          from usage_deltas f
         where f.org_id = of_org and f.customer_id is null and f.bucket >= since and f.bucket < until) as u;
  end;

-- Customers are told of like budgets are.
alter table customer_limits add column thresholds smallint[] not null default '{}';

-- A budget for every department, workflow or deployment that has none of its own: a limit without a scope id.
alter table limits add column max_new_per_day integer check (max_new_per_day > 0);
alter table limits drop constraint limits_kind_check;
alter table limits add constraint limits_kind_check check (kind in ('spend_cap', 'budget', 'plan', 'budget_default'));
alter table limits drop constraint limits_check;
alter table limits add constraint limits_scope_check
  check ((scope_kind = 'org' or kind = 'budget_default') = (scope_id = ''));
alter table limits add constraint limits_default_check
  check ((kind = 'budget_default') = (max_new_per_day is not null) and not (kind = 'budget_default' and scope_kind = 'org'));
create unique index limits_one_default on limits (org_id, scope_kind) where kind = 'budget_default' and ended_at is null;

-- Who has been met under a default is remembered as long as usage knows the name.
create or replace function allowance_is_over(a allowances) returns boolean
  language sql stable
  return case
    when a.period_end is not null then a.period_end < clock_timestamp() - interval '400 days'
    when a.kind = 'credits' then not exists (select from packs p where p.org_id = a.org_id and p.owner = a.subject and p.id = a.limit_id)
    when a.kind = 'approval' then not exists (select from approvals g where g.org_id = a.org_id and g.id = a.limit_id)
    when a.kind in ('known_customer', 'known_department', 'known_workflow', 'known_deployment') then not exists (
      select from usage_dimension_values v
       where v.org_id = a.org_id and v.dimension = substr(a.kind, 7) || '_id' and v.value = a.subject)
    else false end;
