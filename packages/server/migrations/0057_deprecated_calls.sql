set local lock_timeout = '5s';

-- Calls of deprecated routes by day (UTC) and caller, so that an organization sees which of its keys still make them.
create table deprecated_calls (
  org_id uuid not null references orgs (id),
  day date not null,
  method text not null,
  -- Template such as /v1/orgs/{id}: as many as there are deprecated routes.
  route text not null,
  caller_id uuid not null,
  caller_kind text not null check (caller_kind in ('key', 'support', 'person')),
  calls bigint not null check (calls > 0),
  last_at timestamptz not null,
  primary key (org_id, day, method, route, caller_id)
);
call protect_tenant_table('deprecated_calls');
grant select, insert, update on deprecated_calls to weir_app;
create policy pruning on deprecated_calls for all to current_user using (true);
create index deprecated_calls_day on deprecated_calls using brin (day);
insert into pruned_rows values ('deprecated_calls', $$t.day < (clock_timestamp() at time zone 'UTC')::date - 90$$);
