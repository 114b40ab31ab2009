set local lock_timeout = '5s';

-- Where a subscription's messages go, if not as JSON to an address: null is that. Secrets of the destination are closed apart from it.
alter table webhook_subscriptions
  add column destination jsonb,
  add column destination_sealed bytea;

create or replace function webhook_secrets_sealed_with(key_ids text[], most integer) returns table (org_id uuid, subscription_id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select o.org_id, null::uuid from webhook_org_secrets o where sealed_with(o.sealed) = any (key_ids)
    union all
    select w.org_id, w.id from webhook_subscriptions w
     where sealed_with(w.sealed) = any (key_ids) or sealed_with(w.sealed_previous) = any (key_ids)
        or sealed_with(w.destination_sealed) = any (key_ids)
    limit most;
  end;

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
            union all select w.destination_sealed from webhook_subscriptions w where w.destination_sealed is not null
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

-- A message that stands for several events: how many, since when, and whether it only says that they have ceased. null is one event.
alter table webhook_pending add column digest jsonb;
alter table webhook_deliveries add column digest jsonb;

-- Topics of which a message was sent lately: what follows is counted, and told when the interval closes.
create table webhook_digests (
  org_id uuid not null,
  subscription_id uuid not null,
  topic text not null,
  -- The last event that was counted, or the first one, which was told at once.
  event_id uuid not null,
  kind text not null,
  event_count bigint not null default 0,
  since timestamptz not null default clock_timestamp(),
  closes_at timestamptz not null,
  -- Until then the matter is not over, even if nothing more is heard of it.
  lasts_until timestamptz,
  primary key (org_id, subscription_id, topic),
  foreign key (org_id, subscription_id) references webhook_subscriptions (org_id, id) on delete cascade
);
create index webhook_digests_closing on webhook_digests (closes_at);
call protect_tenant_table('webhook_digests');
grant select, insert, update, delete on webhook_digests to weir_app;

create function orgs_with_closing_digests(most integer) returns setof uuid
  language sql stable security definer set search_path = public
  begin atomic
    select distinct d.org_id from (select w.org_id from webhook_digests w where w.closes_at <= clock_timestamp() order by w.closes_at limit most) d;
  end;
revoke execute on function orgs_with_closing_digests(integer) from public;
grant execute on function orgs_with_closing_digests(integer) to weir_app;
create policy closing on webhook_digests for select to current_user using (true);
