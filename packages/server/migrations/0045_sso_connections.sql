set local lock_timeout = '5s';

-- Connections to identity providers. What depends on the kind is in `settings`; what is secret is sealed beside it.
create table sso_connections (
  org_id uuid not null references orgs (id),
  id uuid not null,
  kind text not null check (kind in ('oidc', 'saml')),
  name text not null,
  enabled boolean not null,
  jit boolean not null,
  role_rules jsonb not null,
  default_role text check (default_role in ('owner', 'admin', 'member', 'viewer')),
  settings jsonb not null,
  sealed_secret bytea,
  secret_set_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id),
  check ((sealed_secret is null) = (secret_set_at is null))
);
create unique index sso_connections_id on sso_connections (id);
create index sso_connections_created on sso_connections (org_id, created_at, id);
call protect_tenant_table('sso_connections');
create policy authentication on sso_connections for select to current_user using (true);
grant select, insert, update, delete on sso_connections to weir_app;

-- Domains of e-mail addresses that an organization says are its own. At most one organization has proved a domain at a time.
create table sso_domains (
  org_id uuid not null references orgs (id),
  id uuid not null,
  domain text not null check (domain = lower(domain)),
  description text not null,
  token text not null,
  connection_id uuid,
  verified_at timestamptz,
  checked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id),
  unique (org_id, domain),
  foreign key (org_id, connection_id) references sso_connections (org_id, id) on delete set null (connection_id)
);
create unique index sso_domains_verified on sso_domains (domain) where verified_at is not null;
create index sso_domains_created on sso_domains (org_id, created_at, id);
create index sso_domains_connection on sso_domains (org_id, connection_id);
call protect_tenant_table('sso_domains');
create policy authentication on sso_domains for select to current_user using (true);
grant select, insert, update, delete on sso_domains to weir_app;

-- The organization of an enabled connection: somebody who comes to sign in names only the connection.
create function org_of_sso_connection(wanted uuid) returns uuid
  language sql stable security definer set search_path = public
  begin atomic
    select c.org_id from sso_connections c where c.id = wanted and c.enabled;
  end;
revoke execute on function org_of_sso_connection(uuid) from public;
grant execute on function org_of_sso_connection(uuid) to weir_app;

-- The enabled connection that serves the addresses of a proved domain.
create function sso_connection_of_domain(wanted text) returns uuid
  language sql stable security definer set search_path = public
  begin atomic
    select c.id from sso_domains d join sso_connections c on c.org_id = d.org_id and c.id = d.connection_id
     where d.domain = wanted and d.verified_at is not null and c.enabled;
  end;
revoke execute on function sso_connection_of_domain(text) from public;
grant execute on function sso_connection_of_domain(text) to weir_app;

-- Secrets of connections that were closed with one of these master keys.
create function sso_secrets_sealed_with(key_ids text[], most integer) returns table (org_id uuid, id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select c.org_id, c.id from sso_connections c where sealed_with(c.sealed_secret) = any (key_ids) limit most;
  end;
revoke execute on function sso_secrets_sealed_with(text[], integer) from public;
grant execute on function sso_secrets_sealed_with(text[], integer) to weir_app;

create or replace function master_key_uses(newest text, older text[]) returns table (
  kind text, key_id text, uses bigint, never_used bigint, last_used_at timestamptz
)
  language sql stable security definer set search_path = public
  begin atomic
    select 'api_keys', k.mac_key_id, count(*), count(*) filter (where k.last_used_at is null), max(k.last_used_at)
      from api_keys k
     where k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp()) group by k.mac_key_id
    union all
    select 'support_grants', g.mac_key_id, count(*), null, null from support_grants g
     where g.revoked_at is null and g.expires_at > clock_timestamp() group by g.mac_key_id
    union all
    select 'webhook_secrets', sealed_with(s.sealed), count(*), null, null
      from (select o.sealed from webhook_org_secrets o
            union all select w.sealed from webhook_subscriptions w where w.sealed is not null
            union all select w.sealed_previous from webhook_subscriptions w
                       where w.sealed_previous is not null and w.previous_until > clock_timestamp()) s
     group by sealed_with(s.sealed)
    union all
    select 'sso_secrets', sealed_with(c.sealed_secret), count(*), null, null
      from sso_connections c where c.sealed_secret is not null group by sealed_with(c.sealed_secret)
    union all
    select 'audit_chains', k.id, count(*), null, null
      from audit_heads h
      cross join lateral (
        select h.mac_key_id as id
        union select o.id from unnest(older) as o (id)
               where h.mac_key_id <> newest or h.handed_over_to is distinct from newest) k
     where h.seq > 0 group by k.id
    union all
    select 'audit_keys', sealed_with(a.sealed), count(*), null, null from audit_keys a group by sealed_with(a.sealed);
  end;
