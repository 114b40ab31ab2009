set local lock_timeout = '5s';

-- Keys of the audit chain whose master key is no longer configured: sealed with the newest master key, so that the entries of their
-- time can be verified after the master key itself is gone.
create table audit_keys (
  key_id text primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
grant select, insert, update on audit_keys to weir_app;

-- The master key under which a chain began, or to which it was handed over: entries under older ones are vouched for by a later one.
alter table audit_heads add column handed_over_to text;

-- The id of the master key that closed a value: its length, then its text.
create function sealed_with(sealed bytea) returns text
  language sql immutable strict parallel safe
  return convert_from(substring(sealed from 2 for get_byte(sealed, 0)), 'UTF8');

-- These look across tenants, and see which master key something was made with, never what.
create policy rekeying on webhook_org_secrets for select to current_user using (true);
create policy rekeying on webhook_subscriptions for select to current_user using (true);
create policy rekeying on audit_heads for select to current_user using (true);
create policy rehashing on support_grants for update to current_user using (true) with check (true);

-- What still hangs on which master key. A key or grant that has ended needs none; a chain that was not handed over may need all
-- older ones.
create function master_key_uses(newest text, older text[]) returns table (
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
revoke execute on function master_key_uses(text, text[]) from public;
grant execute on function master_key_uses(text, text[]) to weir_app;

-- Webhook secrets that were closed with one of these master keys; without a subscription the organization's.
create function webhook_secrets_sealed_with(key_ids text[], most integer) returns table (org_id uuid, subscription_id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select o.org_id, null::uuid from webhook_org_secrets o where sealed_with(o.sealed) = any (key_ids)
    union all
    select w.org_id, w.id from webhook_subscriptions w
     where sealed_with(w.sealed) = any (key_ids) or sealed_with(w.sealed_previous) = any (key_ids)
    limit most;
  end;
revoke execute on function webhook_secrets_sealed_with(text[], integer) from public;
grant execute on function webhook_secrets_sealed_with(text[], integer) to weir_app;

create function audit_chains_to_hand_over(newest text, most integer) returns setof uuid
  language sql stable security definer set search_path = public
  begin atomic
    select h.org_id from audit_heads h
     where h.seq > 0 and (h.mac_key_id <> newest or h.handed_over_to is distinct from newest) order by h.org_id limit most;
  end;
revoke execute on function audit_chains_to_hand_over(text, integer) from public;
grant execute on function audit_chains_to_hand_over(text, integer) to weir_app;

-- Keys that work, were hashed with one of these master keys, and that nobody has used since then.
create function unused_keys(key_ids text[], since timestamptz, most integer) returns table (org_id uuid, id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select k.org_id, k.id from api_keys k
     where k.mac_key_id = any (key_ids) and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > clock_timestamp())
       and coalesce(k.last_used_at, k.created_at) < since
     order by k.id limit most;
  end;
revoke execute on function unused_keys(text[], timestamptz, integer) from public;
grant execute on function unused_keys(text[], timestamptz, integer) to weir_app;

-- New hashes of secrets that were just presented, for many tenants at once and never per request. Whoever came first wins.
create function rehash_callers(ids uuid[], old_key_ids text[], macs bytea[], new_key_id text) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update api_keys k set mac = r.mac, mac_key_id = new_key_id
      from unnest(ids, old_key_ids, macs) as r (id, old_key_id, mac) where k.id = r.id and k.mac_key_id = r.old_key_id;
    update support_grants g set mac = r.mac, mac_key_id = new_key_id
      from unnest(ids, old_key_ids, macs) as r (id, old_key_id, mac) where g.id = r.id and g.mac_key_id = r.old_key_id;
  end;
revoke execute on function rehash_callers(uuid[], text[], bytea[], text) from public;
grant execute on function rehash_callers(uuid[], text[], bytea[], text) to weir_app;
