set local lock_timeout = '5s';

select set_config('app.operator', 'on', true);

-- The time of the suspension that an organization is under.
alter table orgs add column suspended_at timestamptz;
update orgs set suspended_at = updated_at where status = 'suspended';

-- The operators' own organization is no tenant: it cannot be suspended, and nobody is let into it.
update orgs set status = 'active', status_reason = null, suspended_at = null where id = '00000000-0000-0000-0000-000000000000';
update support_grants set revoked_at = clock_timestamp(), updated_at = clock_timestamp()
 where org_id = '00000000-0000-0000-0000-000000000000' and revoked_at is null;

-- A grant is closed once what it made has ended with it.
alter table support_grants add column closed_at timestamptz;
create index support_grants_open on support_grants (expires_at) where closed_at is null;
create index support_grants_operator_key on support_grants (operator_key_id);

-- A subscription that was made under a grant is told nothing once the grant is over, unless the organization keeps it.
alter table webhook_subscriptions
  add column created_by_grant uuid,
  add column ends_at timestamptz,
  drop constraint webhook_subscriptions_disabled_reason_check,
  add constraint webhook_subscriptions_disabled_reason_check
    check (disabled_reason in ('requested', 'gone', 'failing', 'grant_ended'));
create index webhook_subscriptions_of_grants on webhook_subscriptions (org_id, created_by_grant) where created_by_grant is not null;

-- A grant comes from its operator: the operators' address list binds it in place of the organization's, and it ends when the key
-- that issued it is revoked.
create or replace function caller_by_id(wanted uuid) returns table (
  kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb
)
  language sql stable security definer set search_path = public
  begin atomic
    with caller as (
      select 'key' as kind, k.org_id, k.id, k.lineage_id, k.role, k.scopes, k.pins, k.mac, k.mac_key_id, k.not_before,
             k.expires_at, k.revoked_at, null::text as grant_scope, null::uuid as operator_key_id, k.org_id as listed_by
        from api_keys k where k.id = wanted
      union all
      select 'support', g.org_id, g.id, g.id, 'operator', '{}', '{}', g.mac, g.mac_key_id, null, g.expires_at,
             coalesce(g.revoked_at, (select k.revoked_at from api_keys k where k.id = g.operator_key_id)), g.scope,
             g.operator_key_id, '00000000-0000-0000-0000-000000000000'
        from support_grants g where g.id = wanted
    )
    select c.kind, c.org_id, c.id, c.lineage_id, c.role, c.scopes, c.pins, c.mac, c.mac_key_id, c.not_before, c.expires_at,
           c.revoked_at, c.grant_scope, c.operator_key_id,
           o.status, l.ip_allow_list, o.required_dimensions, o.home_region, o.residency, r.read_rpm, r.on_unavailable,
           coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match,
                                                         'amount', p.amount, 'window_seconds', p.window_seconds) order by p.id)
                       from rate_limit_policies p where p.org_id = c.org_id), '[]')
      from caller c join orgs o on o.id = c.org_id join orgs l on l.id = c.listed_by
      left join org_rate_limits r on r.org_id = c.org_id;
  end;
