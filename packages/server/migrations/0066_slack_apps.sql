set local lock_timeout = '5s';

-- The Slack app of an organization: where it writes, and its secrets, sealed. `keepers` are those who have set the signing secret, and
-- so could press any button in the place of others.
create table slack_apps (
  org_id uuid primary key references orgs (id),
  channel text not null,
  enabled boolean not null,
  sealed_signing_secret bytea not null,
  signing_secret_set_at timestamptz not null,
  keepers text[] not null,
  sealed_bot_token bytea not null,
  bot_token_set_at timestamptz not null,
  -- What Slack last refused; null once it has taken a message again.
  fault text,
  -- When a worker looks for messages to send, and until when one does.
  due_at timestamptz not null default 'infinity',
  leased_until timestamptz not null default '-infinity',
  leased_by uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index slack_apps_due on slack_apps (due_at) where enabled;
call protect_tenant_table('slack_apps');
grant select, insert, update, delete on slack_apps to weir_app;
create policy dispatching on slack_apps to current_user using (true);

-- The app to which somebody outside speaks, who names only the organization.
create function slack_apps_of(wanted uuid[]) returns table (org_id uuid, enabled boolean, sealed_signing_secret bytea)
  language sql stable security definer set search_path = public
  begin atomic
    select a.org_id, a.enabled, a.sealed_signing_secret from slack_apps a where a.org_id = any (wanted);
  end;
revoke execute on function slack_apps_of(uuid[]) from public;
grant execute on function slack_apps_of(uuid[]) to weir_app;

create function take_slack_apps(worker uuid, lease interval, most integer) returns setof uuid
  language sql volatile security definer set search_path = public
  begin atomic
    update slack_apps a set leased_until = clock_timestamp() + lease, leased_by = worker
      from (select d.org_id from slack_apps d
             where d.enabled and d.due_at <= now() and d.leased_until <= now()
             order by d.due_at limit most for update skip locked) d
     where a.org_id = d.org_id
    returning a.org_id;
  end;
revoke execute on function take_slack_apps(uuid, interval, integer) from public;
grant execute on function take_slack_apps(uuid, interval, integer) to weir_app;

-- Secrets of apps that were sealed with one of these master keys.
create function slack_secrets_sealed_with(key_ids text[], most integer) returns setof uuid
  language sql stable security definer set search_path = public
  begin atomic
    select a.org_id from slack_apps a
     where sealed_with(a.sealed_signing_secret) = any (key_ids) or sealed_with(a.sealed_bot_token) = any (key_ids)
     limit most;
  end;
revoke execute on function slack_secrets_sealed_with(text[], integer) from public;
grant execute on function slack_secrets_sealed_with(text[], integer) to weir_app;

-- The message about an approval. It shows the approval as it is, so what is kept is what it shows, not what has happened.
create table slack_messages (
  org_id uuid not null references slack_apps (org_id) on delete cascade,
  approval_id uuid not null,
  -- Set before the message is posted: with it and without `ts`, Slack's answer was lost.
  posted_at timestamptz,
  -- Where the message is, as Slack says.
  channel text,
  ts text,
  -- A digest of what it shows.
  shown bytea,
  -- Raised by every event, so that one that comes while the message is sent is not forgotten.
  revision bigint not null default 1,
  attempts integer not null default 0,
  -- null once nothing can change any more.
  due_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, approval_id),
  check ((channel is null) = (ts is null))
);
create index slack_messages_due on slack_messages (org_id, due_at) where due_at is not null;
create index slack_messages_updated on slack_messages (updated_at);
call protect_tenant_table('slack_messages');
grant select, insert, update, delete on slack_messages to weir_app;
create policy pruning on slack_messages for all to current_user using (true);
insert into pruned_rows values ('slack_messages', $$t.updated_at < clock_timestamp() - interval '400 days'$$);

-- Requests that Slack has signed and that were taken: each is taken once.
create table slack_requests (
  org_id uuid not null references slack_apps (org_id) on delete cascade,
  digest bytea not null,
  taken_at timestamptz not null default clock_timestamp(),
  primary key (org_id, digest)
);
create index slack_requests_taken on slack_requests (taken_at);
call protect_tenant_table('slack_requests');
grant select, insert on slack_requests to weir_app;
create policy pruning on slack_requests for all to current_user using (true);
insert into pruned_rows values ('slack_requests', $$t.taken_at < clock_timestamp() - interval '1 hour'$$);

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
    select 'slack_secrets', sealed_with(a.sealed), count(*), null, null
      from (select p.sealed_signing_secret as sealed from slack_apps p
            union all select p.sealed_bot_token from slack_apps p) a
     group by sealed_with(a.sealed)
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
