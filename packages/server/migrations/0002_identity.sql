set local lock_timeout = '5s';

-- Operators look across tenants, and say so transaction by transaction.
create function app_is_operator() returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('app.operator', true), '') = 'on';

create table orgs (
  id uuid primary key,
  name text not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  status_reason text,
  ip_allow_list text[] not null default '{}',
  required_dimensions text[] not null default '{}',
  home_region text,
  residency text not null default 'none' check (residency in ('none', 'strict')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index orgs_created_at on orgs (created_at, id);
create index orgs_name on orgs (name, id);
alter table orgs enable row level security;
alter table orgs force row level security;
create policy tenant on orgs
  using (id = any ((select app_orgs())::uuid[]) or (select app_is_operator()))
  with check (id = any ((select app_orgs())::uuid[]) or (select app_is_operator()));
grant select, insert, update on orgs to weir_app;

-- The operators' own organization: their keys, claims and audit entries have a home like everybody else's.
insert into orgs (id, name) select '00000000-0000-0000-0000-000000000000', 'Operators'
  from (select set_config('app.operator', 'on', true)) as s;

create table api_keys (
  org_id uuid not null references orgs (id),
  id uuid not null,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer', 'service', 'operator')),
  scopes text[] not null,
  pins jsonb not null default '{}',
  -- Only a keyed hash of the secret, and which of the keys outside PostgreSQL made it.
  mac bytea not null,
  mac_key_id text not null,
  not_before timestamptz,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, id)
);
create unique index api_keys_id on api_keys (id);
create index api_keys_created_at on api_keys (org_id, created_at, id);
call protect_tenant_table('api_keys');
grant select, insert, update on api_keys to weir_app;

-- A grant lets one operator act in one organization, within one scope, for a while; its token is a key of its own.
create table support_grants (
  org_id uuid not null references orgs (id),
  id uuid not null,
  operator_key_id uuid not null,
  scope text not null check (scope in ('read', 'billing', 'configuration')),
  reason text not null,
  mac bytea not null,
  mac_key_id text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, id)
);
create unique index support_grants_id on support_grants (id);
create index support_grants_created_at on support_grants (org_id, created_at, id);
alter table support_grants enable row level security;
alter table support_grants force row level security;
create policy tenant on support_grants
  using (org_id = any ((select app_orgs())::uuid[]) or (select app_is_operator()))
  with check (org_id = any ((select app_orgs())::uuid[]) or (select app_is_operator()));
grant select, insert, update on support_grants to weir_app;

create table org_rate_limits (
  org_id uuid primary key references orgs (id),
  read_rpm integer check (read_rpm > 0),
  on_unavailable text not null default 'local' check (on_unavailable in ('local', 'deny', 'allow')),
  updated_at timestamptz not null default now()
);
call protect_tenant_table('org_rate_limits');
grant select, insert, update on org_rate_limits to weir_app;

create table rate_limit_policies (
  org_id uuid not null references orgs (id),
  id uuid not null,
  kind text not null check (kind in ('requests', 'tokens', 'quota')),
  per text not null check (per in ('org', 'key', 'route_class', 'model')),
  match text,
  amount bigint not null check (amount > 0),
  window_seconds integer not null check (window_seconds > 0),
  created_at timestamptz not null default now(),
  primary key (org_id, id)
);
call protect_tenant_table('rate_limit_policies');
grant select, insert, update, delete on rate_limit_policies to weir_app;

-- Every change after which a cached answer to "may this caller" could be wrong. The one row of the epoch serialises them,
-- so their versions commit in order and a node that has seen one has seen all before it.
create table access_epoch (
  singleton boolean primary key default true check (singleton),
  version bigint not null default 0
);
insert into access_epoch default values;
grant select, update on access_epoch to weir_app;

create table access_changes (
  version bigint primary key,
  changed_org uuid not null,
  at timestamptz not null default now()
);
create index access_changes_at on access_changes (at);
alter table nodes add column applied_version bigint not null default 0;

create function record_access_change(org uuid) returns bigint
  language sql volatile security definer set search_path = public
  begin atomic
    with epoch as (update access_epoch set version = version + 1 returning version)
    insert into access_changes (version, changed_org) select version, org from epoch returning version;
  end;
revoke execute on function record_access_change(uuid) from public;
grant execute on function record_access_change(uuid) to weir_app;
grant select, delete on access_changes to weir_app;

-- Authentication comes before the tenant is known: the one look-up that sees across tenants, by the exact id of a key or
-- grant, and never by anything a caller could enumerate.
create function find_caller(wanted uuid) returns table (
  kind text, org_id uuid, id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb
)
  language sql stable security definer set search_path = public
  begin atomic
    with caller as (
      select 'key' as kind, k.org_id, k.id, k.role, k.scopes, k.pins, k.mac, k.mac_key_id, k.not_before, k.expires_at,
             k.revoked_at, null::text as grant_scope, null::uuid as operator_key_id
        from api_keys k where k.id = wanted
      union all
      select 'support', g.org_id, g.id, 'operator', '{}', '{}', g.mac, g.mac_key_id, null, g.expires_at,
             g.revoked_at, g.scope, g.operator_key_id
        from support_grants g where g.id = wanted
    )
    select c.*, o.status, o.ip_allow_list, o.required_dimensions, o.home_region, o.residency, r.read_rpm, r.on_unavailable,
           coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match,
                                                         'amount', p.amount, 'window_seconds', p.window_seconds) order by p.id)
                       from rate_limit_policies p where p.org_id = c.org_id), '[]')
      from caller c join orgs o on o.id = c.org_id left join org_rate_limits r on r.org_id = c.org_id;
  end;
revoke execute on function find_caller(uuid) from public;
grant execute on function find_caller(uuid) to weir_app;

-- Forced row-level security binds the owner too, in whose name the function above runs.
create policy authentication on api_keys for select to current_user using (true);
create policy authentication on support_grants for select to current_user using (true);
create policy authentication on orgs for select to current_user using (true);
create policy authentication on org_rate_limits for select to current_user using (true);
create policy authentication on rate_limit_policies for select to current_user using (true);

-- When keys were last used, for many tenants at once and never per request.
create function touch_keys(ids uuid[], times timestamptz[]) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update api_keys k set last_used_at = greatest(k.last_used_at, t.used_at)
      from unnest(ids, times) as t (id, used_at) where k.id = t.id;
  end;
revoke execute on function touch_keys(uuid[], timestamptz[]) from public;
grant execute on function touch_keys(uuid[], timestamptz[]) to weir_app;
create policy touching on api_keys for update to current_user using (true) with check (true);

-- Partitions by day: a day that is over is dropped, never deleted row by row. A key's uniqueness is kept by a lock on its
-- hash and a look into the days that still count.
create table idempotency_keys (
  org_id uuid not null,
  key text not null,
  day date not null,
  request_hash bytea not null,
  attempt integer not null default 1,
  claimed_at timestamptz not null,
  completed_at timestamptz,
  status smallint,
  sealed bytea,
  primary key (org_id, key, day)
) partition by range (day);
call protect_tenant_table('idempotency_keys');
grant select, insert, update, delete on idempotency_keys to weir_app;

-- Append only: the application may add entries and move a head forward, nothing else.
create table audit_log (
  org_id uuid not null,
  seq bigint not null,
  id uuid not null,
  at timestamptz not null,
  actor jsonb not null,
  action text not null,
  target jsonb not null,
  outcome text not null check (outcome in ('allowed', 'denied')),
  before jsonb,
  after jsonb,
  address text,
  trace_id text not null,
  count integer not null default 1,
  mac bytea not null,
  mac_key_id text not null,
  primary key (org_id, seq, at)
) partition by range (at);
create index audit_log_at on audit_log (org_id, at, seq);
call protect_tenant_table('audit_log');
grant select, insert on audit_log to weir_app;

create table audit_heads (
  org_id uuid primary key,
  seq bigint not null,
  mac bytea not null,
  mac_key_id text not null
);
call protect_tenant_table('audit_heads');
grant select, insert, update on audit_heads to weir_app;

-- Partitions are made by the owner on the application's behalf: the application owns nothing. Created apart and then
-- attached, so that nothing queues behind a long reader of the parent.
create function create_partition(parent text, suffix text, lower_bound text, upper_bound text) returns void
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
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, lower_bound, upper_bound);
end
$$;
revoke execute on function create_partition(text, text, text, text) from public;
grant execute on function create_partition(text, text, text, text) to weir_app;

create function drop_idempotency_partition(suffix text) returns void
  language plpgsql security definer set search_path = public as $$
begin
  if suffix !~ '^[0-9]{8}$' then raise exception 'not a day: %', suffix; end if;
  set local lock_timeout = '2s';
  execute format('drop table if exists %I', 'idempotency_keys_' || suffix);
end
$$;
revoke execute on function drop_idempotency_partition(text) from public;
grant execute on function drop_idempotency_partition(text) to weir_app;
