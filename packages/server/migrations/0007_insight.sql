set local lock_timeout = '5s';

-- How often an organization's calls were refused, by UTC day and error code. Explanations are a sample; this counts every refusal.
create table refusal_counts (
  org_id uuid not null,
  day date not null,
  error_code text not null,
  count bigint not null,
  primary key (org_id, day, error_code)
);
call protect_tenant_table('refusal_counts');
grant select, insert, update on refusal_counts to weir_app;

-- What organizations can compare themselves with. Defined by operators, seen by everybody.
create table benchmark_cohorts (
  id uuid primary key,
  name text not null,
  industry text,
  size text,
  workload text,
  period text not null check (period in ('week', 'month')),
  status text not null default 'open' check (status in ('open', 'closed')),
  -- Nothing is published of periods that ended before.
  opened_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index benchmark_cohorts_created_at on benchmark_cohorts (created_at, id);
create index benchmark_cohorts_name on benchmark_cohorts (name, id);
grant select, insert, update on benchmark_cohorts to weir_app;

-- Who lets its values be compared, and since when without a break: whoever leaves and comes back begins anew.
create table benchmark_members (
  org_id uuid not null references orgs (id),
  cohort_id uuid not null references benchmark_cohorts (id),
  joined_at timestamptz not null default clock_timestamp(),
  primary key (org_id, cohort_id)
);
create index benchmark_members_cohort on benchmark_members (cohort_id, org_id);
call protect_tenant_table('benchmark_members');
grant select, insert, delete on benchmark_members to weir_app;

-- Organizations whose values were published together. A set is never changed, and never forgotten: every later one must be equal to it
-- or far from it. The application cannot read who is in one, not even of its own organization.
create table benchmark_sets (
  id uuid primary key,
  created_at timestamptz not null default clock_timestamp()
);
create table benchmark_set_orgs (
  org_id uuid not null,
  set_id uuid not null references benchmark_sets (id),
  primary key (org_id, set_id)
);
create index benchmark_set_orgs_set on benchmark_set_orgs (set_id, org_id);
call protect_tenant_table('benchmark_set_orgs');

-- What was published of each period, once; nobody can change it.
create table benchmark_periods (
  cohort_id uuid not null references benchmark_cohorts (id),
  period_start timestamptz not null,
  period_end timestamptz not null,
  -- How many contributors every answer about it needs, at the least.
  contributors_needed integer not null,
  -- About how many there were; null where there were too few.
  told_size integer,
  judged_at timestamptz not null default clock_timestamp(),
  primary key (cohort_id, period_start)
);
grant select, insert on benchmark_periods to weir_app;

create table benchmark_results (
  cohort_id uuid not null,
  period_start timestamptz not null,
  metric text not null,
  set_id uuid references benchmark_sets (id),
  percentiles jsonb not null,
  withheld jsonb not null,
  primary key (cohort_id, period_start, metric),
  foreign key (cohort_id, period_start) references benchmark_periods (cohort_id, period_start)
);
grant select, insert on benchmark_results to weir_app;

-- What an organization's runs of whole UTC days add up to, as benchmarks count it. Asked by the application it sees its own rows only.
create function benchmark_sums(of_org uuid, since timestamptz, until timestamptz)
  returns table (
    runs float8, failed_runs float8, input_tokens float8, output_tokens float8, cache_read_input_tokens float8, cost_nano float8,
    duration_ms float8, timed_runs float8, refusals float8)
  language sql stable
  begin atomic
    select coalesce(sum(u.runs), 0)::float8, coalesce(sum(u.failed_runs), 0)::float8, coalesce(sum(u.input_tokens), 0)::float8,
           coalesce(sum(u.output_tokens), 0)::float8, coalesce(sum(u.cache_read_input_tokens), 0)::float8,
           coalesce(sum(u.cost_nano), 0)::float8, coalesce(sum(u.duration_ms), 0)::float8, coalesce(sum(u.timed_runs), 0)::float8,
           (select coalesce(sum(r.count), 0)::float8 from refusal_counts r
             where r.org_id = of_org and r.day >= (since at time zone 'UTC')::date and r.day < (until at time zone 'UTC')::date)
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
revoke execute on function benchmark_sums(uuid, timestamptz, timestamptz) from public;
grant execute on function benchmark_sums(uuid, timestamptz, timestamptz) to weir_app;

-- Whoever publishes looks across tenants, and says so transaction by transaction. To all others the following show nothing.
create function app_is_publisher() returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('app.publisher', true), '') = 'on';

create function benchmark_members_of(cohort uuid) returns table (org_id uuid, joined_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select m.org_id, m.joined_at from benchmark_members m
     where (select app_is_publisher()) and m.cohort_id = cohort order by m.org_id;
  end;

-- Sums only, and of members of the cohort only.
create function benchmark_sums_of(cohort uuid, orgs uuid[], since timestamptz, until timestamptz)
  returns table (
    org_id uuid, runs float8, failed_runs float8, input_tokens float8, output_tokens float8, cache_read_input_tokens float8,
    cost_nano float8, duration_ms float8, timed_runs float8, refusals float8)
  language sql stable security definer set search_path = public
  begin atomic
    select m.org_id, s.* from benchmark_members m cross join lateral benchmark_sums(m.org_id, since, until) as s
     where (select app_is_publisher()) and m.cohort_id = cohort and m.org_id = any (orgs);
  end;

-- Every set that has one of these organizations in it: others are far from whatever is made of them.
create function benchmark_sets_with(orgs uuid[]) returns table (set_id uuid, org_id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select o.set_id, o.org_id from benchmark_set_orgs o
     where (select app_is_publisher())
       and o.set_id in (select w.set_id from benchmark_set_orgs w where w.org_id = any (orgs))
     order by o.set_id, o.org_id;
  end;

create function benchmark_keep_set(kept uuid, orgs uuid[]) returns void
  language plpgsql security definer set search_path = public as $$
begin
  if not app_is_publisher() then raise exception 'only whoever publishes makes sets'; end if;
  insert into benchmark_sets (id) values (kept);
  insert into benchmark_set_orgs (org_id, set_id) select o, kept from unnest(orgs) as o;
end
$$;

-- Which metrics of a period still rest on enough organizations: those that have been members ever since. Tells nothing but that.
create function benchmark_open_metrics(cohort uuid, start timestamptz) returns setof text
  language sql stable security definer set search_path = public
  begin atomic
    select r.metric from benchmark_results r
      join benchmark_periods p on p.cohort_id = r.cohort_id and p.period_start = r.period_start
     where r.cohort_id = cohort and r.period_start = start
       and p.contributors_needed <= (
         select count(*) from benchmark_set_orgs o
           join benchmark_members m on m.org_id = o.org_id and m.cohort_id = r.cohort_id
          where o.set_id = r.set_id and m.joined_at < p.period_end);
  end;

revoke execute on function benchmark_members_of(uuid) from public;
revoke execute on function benchmark_sums_of(uuid, uuid[], timestamptz, timestamptz) from public;
revoke execute on function benchmark_sets_with(uuid[]) from public;
revoke execute on function benchmark_keep_set(uuid, uuid[]) from public;
revoke execute on function benchmark_open_metrics(uuid, timestamptz) from public;
grant execute on function benchmark_members_of(uuid) to weir_app;
grant execute on function benchmark_sums_of(uuid, uuid[], timestamptz, timestamptz) to weir_app;
grant execute on function benchmark_sets_with(uuid[]) to weir_app;
grant execute on function benchmark_keep_set(uuid, uuid[]) to weir_app;
grant execute on function benchmark_open_metrics(uuid, timestamptz) to weir_app;
create policy publishing on refusal_counts for select to current_user using (true);
create policy publishing on usage_days for select to current_user using (true);
create policy publishing on benchmark_members for select to current_user using (true);
create policy publishing on benchmark_set_orgs for all to current_user using (true);
