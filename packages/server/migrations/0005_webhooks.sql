set local lock_timeout = '5s';

-- Events are told in the order in which they were written: for whatever changes under one lock, the order in which it did.
create sequence event_order as bigint;
grant usage on sequence event_order to weir_app;
alter table outbox
  add column subject text not null default '',
  add column seq bigint not null default nextval('event_order');
alter table outbox alter column subject drop default;
create unique index outbox_in_order on outbox (seq);

-- The oldest events of all organizations that nobody has drained, taken: the drainer's one look across tenants.
create function take_events(most integer)
  returns table (org_id uuid, id uuid, kind text, subject text, body jsonb, created_at timestamptz, seq bigint)
  language sql volatile security definer set search_path = public
  begin atomic
    with taken as (
      delete from outbox o
       using (select w.org_id, w.id from outbox w order by w.seq limit most for update skip locked) w
       where o.org_id = w.org_id and o.id = w.id
      returning o.*)
    select t.org_id, t.id, t.kind, t.subject, t.body, t.created_at, t.seq from taken t order by t.seq;
  end;
revoke execute on function take_events(integer) from public;
grant execute on function take_events(integer) to weir_app;
create policy draining on outbox to current_user using (true);

create function events_waiting() returns table (waiting bigint, oldest timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select count(*), min(w.created_at) from (select o.created_at from outbox o order by o.seq limit 10000) w;
  end;
revoke execute on function events_waiting() from public;
grant execute on function events_waiting() to weir_app;

-- What happened, as every subscription is told it: the same bytes on every attempt, replay and redelivery.
create table events (
  org_id uuid not null,
  id uuid not null,
  kind text not null,
  subject text not null,
  payload text not null,
  created_at timestamptz not null,
  primary key (org_id, id)
) partition by range (id);
call protect_tenant_table('events');
grant select, insert on events to weir_app;

-- Kinds of events that are written only where somebody has asked for them.
create table event_opt_ins (
  org_id uuid not null references orgs (id),
  kind text not null,
  primary key (org_id, kind)
);
call protect_tenant_table('event_opt_ins');
grant select, insert, delete on event_opt_ins to weir_app;

-- The secret that all subscriptions of an organization share which have none of their own.
create table webhook_org_secrets (
  org_id uuid primary key references orgs (id),
  sealed bytea not null,
  created_at timestamptz not null default now(),
  rotated_at timestamptz not null default now()
);
call protect_tenant_table('webhook_org_secrets');
grant select, insert, update on webhook_org_secrets to weir_app;

create table webhook_subscriptions (
  org_id uuid not null references orgs (id),
  id uuid not null,
  url text not null,
  description text not null,
  -- Kinds and patterns; none means every kind that is not opt-in.
  events text[] not null,
  ordered boolean not null,
  enabled boolean not null,
  disabled_reason text check (disabled_reason in ('requested', 'gone', 'failing')),
  disabled_at timestamptz,
  -- How often it got a secret of its own; 0 is never.
  generation integer not null default 0,
  sealed bytea,
  rotated_at timestamptz,
  sealed_previous bytea,
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, id),
  check (enabled = (disabled_reason is null)),
  check ((generation = 0) = (sealed is null))
);
call protect_tenant_table('webhook_subscriptions');
grant select, insert, update, delete on webhook_subscriptions to weir_app;

-- Deliveries that are not over. Who works on them has leased their subscription's queue, never single rows.
create table webhook_pending (
  org_id uuid not null,
  subscription_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  kind text not null,
  subject text not null,
  trigger text not null check (trigger in ('event', 'redelivery', 'replay', 'test')),
  -- Told only when everything before it about the same subject was.
  ordered boolean not null,
  seq bigint not null default nextval('event_order'),
  next_attempt_at timestamptz not null,
  attempts jsonb not null default '[]',
  created_at timestamptz not null,
  primary key (org_id, subscription_id, id)
) with (fillfactor = 80, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index webhook_pending_due on webhook_pending (org_id, subscription_id, next_attempt_at, seq);
create index webhook_pending_subject on webhook_pending (org_id, subscription_id, subject, seq) where ordered;
call protect_tenant_table('webhook_pending');
grant select, insert, update, delete on webhook_pending to weir_app;

-- Deliveries that are over.
create table webhook_deliveries (
  org_id uuid not null,
  subscription_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  kind text not null,
  subject text not null,
  trigger text not null,
  state text not null check (state in ('delivered', 'failed')),
  attempts jsonb not null,
  created_at timestamptz not null,
  ended_at timestamptz not null,
  primary key (org_id, subscription_id, id)
) partition by range (id);
call protect_tenant_table('webhook_deliveries');
grant select, insert on webhook_deliveries to weir_app;

-- One queue per subscription. `due_at` is when somebody has to look at it again: a worker that takes it moves that to the end
-- of its lease, so a worker that dies gives it back by doing nothing.
create table webhook_queues (
  org_id uuid not null,
  subscription_id uuid not null,
  due_at timestamptz,
  -- An endpoint that keeps failing is left alone until then, whatever else comes for it.
  not_before timestamptz,
  leased_by uuid,
  -- How many requests may be under way at once, as its endpoint has shown that it can bear them.
  width smallint not null default 2,
  -- Its endpoint is slow or fails: it waits with others of its kind.
  troubled boolean not null default false,
  failures integer not null default 0,
  failing_since timestamptz,
  last_attempt_at timestamptz,
  last_success_at timestamptz,
  latency_ms integer,
  primary key (org_id, subscription_id),
  foreign key (org_id, subscription_id) references webhook_subscriptions (org_id, id) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
create index webhook_queues_due on webhook_queues (troubled, due_at) where due_at is not null;
call protect_tenant_table('webhook_queues');
grant select, insert, update, delete on webhook_queues to weir_app;

-- The queues of all organizations that are due, taken for a lease: sees which they are and nothing of what is in them.
create function take_webhook_queues(worker uuid, lease interval, only_troubled boolean, most integer)
  returns table (org_id uuid, subscription_id uuid, width smallint, failures integer, latency_ms integer)
  language sql volatile security definer set search_path = public
  begin atomic
    update webhook_queues q set due_at = clock_timestamp() + lease, leased_by = worker
      from (select d.org_id, d.subscription_id from webhook_queues d
             where d.troubled = only_troubled and d.due_at <= now()
             order by d.due_at limit most for update skip locked) d
     where q.org_id = d.org_id and q.subscription_id = d.subscription_id
    returning q.org_id, q.subscription_id, q.width, q.failures, q.latency_ms;
  end;
revoke execute on function take_webhook_queues(uuid, interval, boolean, integer) from public;
grant execute on function take_webhook_queues(uuid, interval, boolean, integer) to weir_app;
create policy dispatching on webhook_queues to current_user using (true);

-- Windows that are told once more, until none of their events is left.
create table webhook_replays (
  org_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  kinds text[] not null,
  after_id uuid not null,
  before_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (org_id, id),
  foreign key (org_id, subscription_id) references webhook_subscriptions (org_id, id) on delete cascade
);
call protect_tenant_table('webhook_replays');
grant select, insert, update, delete on webhook_replays to weir_app;

create function replays_waiting(most integer) returns table (org_id uuid, id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select r.org_id, r.id from webhook_replays r order by r.id limit most;
  end;
revoke execute on function replays_waiting(integer) from public;
grant execute on function replays_waiting(integer) to weir_app;
create policy replaying on webhook_replays for select to current_user using (true);

-- Which deprecations an organization was told of.
create table deprecation_announcements (
  org_id uuid not null references orgs (id),
  deprecation_id text not null,
  created_at timestamptz not null default now(),
  primary key (org_id, deprecation_id)
);
call protect_tenant_table('deprecation_announcements');
grant select, insert on deprecation_announcements to weir_app;

create or replace function drop_partition(parent text, suffix text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  kept_days integer := case parent
    when 'idempotency_keys' then 2 when 'holds' then 8 when 'decision_records' then 8
    when 'ledger_batches' then 35 when 'movements' then 35
    when 'runs_7' then 7 + 1 when 'runs_30' then 30 + 1 when 'runs_90' then 90 + 7
    when 'runs_400' then 400 + 28 when 'runs_3650' then 3650 + 28
    when 'events' then 30 + 1 when 'webhook_deliveries' then 30 + 1 end;
begin
  if kept_days is null or suffix !~ '^[0-9]{8}$' then raise exception 'not a table whose days are dropped: %', parent; end if;
  if to_date(suffix, 'YYYYMMDD') > (clock_timestamp() at time zone 'UTC')::date - kept_days then
    raise exception '% of % is still needed', suffix, parent;
  end if;
  -- What is still held must be given back first: without its row nobody could.
  if parent = 'holds' and exists (
    select from holds where state = 'open' and tableoid = to_regclass(quote_ident('holds_' || suffix))
  ) then
    raise exception 'holds of % are still open', suffix;
  end if;
  set local lock_timeout = '200ms';
  execute format('drop table if exists %I', parent || '_' || suffix);
end
$$;

-- Organizations that an announcement has not reached: the announcer's one look across tenants, which sees ids only.
create function orgs_to_tell(announcements text[], since timestamptz[], after uuid, most integer)
  returns table (org_id uuid, deprecation_ids text[])
  language sql stable security definer set search_path = public
  begin atomic
    select s.org_id, array_agg(distinct d.id)
      from unnest(announcements, since) as d (id, since)
      join webhook_subscriptions s on s.enabled and s.created_at < d.since
     where s.org_id > after
       and not exists (select from deprecation_announcements a where a.org_id = s.org_id and a.deprecation_id = d.id)
     group by s.org_id order by s.org_id limit most;
  end;
revoke execute on function orgs_to_tell(text[], timestamptz[], uuid, integer) from public;
grant execute on function orgs_to_tell(text[], timestamptz[], uuid, integer) to weir_app;
create policy announcing on webhook_subscriptions for select to current_user using (true);
create policy announcing on deprecation_announcements for select to current_user using (true);
