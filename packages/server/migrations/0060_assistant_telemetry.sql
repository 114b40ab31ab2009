set local lock_timeout = '5s';

-- Whose usage is that of a seat with a flat rate: telemetry of these keys, of these accounts, and by the word of the client.
alter table otlp_mappings
  add column seat_keys uuid[],
  add column seat_accounts text[],
  add column seat_logins boolean;

-- Sessions of assistants, and by what each is counted: the calls that it reports one by one from a time on, and its metrics before that.
-- A session belongs to the key that reports it, so that no key says anything about the sessions of another.
create table telemetry_sessions (
  org_id uuid not null references orgs (id),
  lineage_id uuid not null,
  session bytea not null,
  calls_since timestamptz,
  metrics_until timestamptz,
  seen_on date not null default (clock_timestamp() at time zone 'UTC')::date,
  primary key (org_id, lineage_id, session)
);
call protect_tenant_table('telemetry_sessions');
grant select, insert, update on telemetry_sessions to weir_app;
create policy pruning on telemetry_sessions for all to current_user using (true);
create index telemetry_sessions_seen on telemetry_sessions using brin (seen_on);
insert into pruned_rows values ('telemetry_sessions', $$t.seen_on < (clock_timestamp() at time zone 'UTC')::date - 91$$);

-- Calls that a gateway may report too: it has a run open in their session, which is waited for.
create table waiting_calls (
  org_id uuid not null references orgs (id),
  id uuid not null,
  due_at timestamptz not null,
  call json not null,
  primary key (org_id, id)
);
call protect_tenant_table('waiting_calls');
grant select, insert, update, delete on waiting_calls to weir_app;
create policy reading on waiting_calls for select to current_user using (true);
create index waiting_calls_due on waiting_calls (due_at);

-- Sums that assistants report as metrics. `value` is the newest of a series, or of one of its intervals; `counted` what of it is
-- recorded in runs, and `counting` what is while the run `claim` is being recorded.
create table telemetry_points (
  org_id uuid not null references orgs (id),
  lineage_id uuid not null,
  point bytea not null,
  session bytea not null,
  kind text not null check (kind in ('input', 'output', 'cache_read', 'cache_creation', 'cost')),
  call json not null,
  value bigint not null check (value >= 0),
  counted bigint not null default 0,
  counting bigint,
  claim uuid,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  touched_at timestamptz not null default clock_timestamp(),
  primary key (org_id, lineage_id, point)
);
call protect_tenant_table('telemetry_points');
grant select, insert, update on telemetry_points to weir_app;
create policy pruning on telemetry_points for all to current_user using (true);
create index telemetry_points_session on telemetry_points (org_id, lineage_id, session) where counted < value;
create index telemetry_points_claim on telemetry_points (org_id, claim) where claim is not null;
create index telemetry_points_open on telemetry_points (touched_at) where counted < value;
insert into pruned_rows values ('telemetry_points', $$t.touched_at < clock_timestamp() - interval '15 days'$$);

-- Organizations with telemetry that is due: calls that have waited, and metrics that have been quiet since a time.
create function orgs_with_due_telemetry(quiet_since timestamptz, most integer) returns setof uuid
  language sql stable security definer set search_path to 'public'
  begin atomic
    select distinct due.org_id from (
      (select w.org_id from waiting_calls w where w.due_at < clock_timestamp() order by w.due_at limit most)
      union all
      (select p.org_id from telemetry_points p where p.counted < p.value and p.touched_at < quiet_since order by p.touched_at limit most)
    ) as due;
  end;
revoke all on function orgs_with_due_telemetry from public;
grant execute on function orgs_with_due_telemetry to weir_app;
