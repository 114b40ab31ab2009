set local lock_timeout = '5s';

-- When a call was reported: it counts in the periods of that time, however long it then waits. And how often it could not be recorded.
alter table waiting_calls
  add column reported_at timestamptz not null default clock_timestamp(),
  add column failures smallint not null default 0;

create index waiting_calls_of_org on waiting_calls (org_id, due_at);
create index telemetry_points_of_org on telemetry_points (org_id, touched_at) where counted < value;
create index webhook_digests_of_org on webhook_digests (org_id, closes_at);

-- Organizations with telemetry that is due, in the order of their ids after one of them: each once, however much of it waits. Whoever asks goes
-- round, so that each organization gets its turn.
create function orgs_with_due_telemetry(quiet_since timestamptz, after uuid, most integer) returns setof uuid
  language sql stable security definer set search_path to 'public'
  begin atomic
    with recursive waiting (org_id) as (
      select least((select w.org_id from waiting_calls w where w.org_id > after order by w.org_id, w.due_at limit 1),
                   (select p.org_id from telemetry_points p where p.org_id > after and p.counted < p.value order by p.org_id, p.touched_at limit 1))
      union all
      select least((select w.org_id from waiting_calls w where w.org_id > one.org_id order by w.org_id, w.due_at limit 1),
                   (select p.org_id from telemetry_points p where p.org_id > one.org_id and p.counted < p.value order by p.org_id, p.touched_at limit 1))
        from waiting one where one.org_id is not null
    )
    select one.org_id from waiting one
     where one.org_id is not null
       and (exists (select from waiting_calls w where w.org_id = one.org_id and w.due_at < clock_timestamp())
            or exists (select from telemetry_points p
                        where p.org_id = one.org_id and p.counted < p.value and p.touched_at < quiet_since))
     limit most;
  end;
revoke all on function orgs_with_due_telemetry(timestamptz, uuid, integer) from public;
grant execute on function orgs_with_due_telemetry(timestamptz, uuid, integer) to weir_app;

-- The same of organizations with intervals of messages that close.
create function orgs_with_closing_digests(after uuid, most integer) returns setof uuid
  language sql stable security definer set search_path to 'public'
  begin atomic
    with recursive counting (org_id) as (
      select (select d.org_id from webhook_digests d where d.org_id > after order by d.org_id, d.closes_at limit 1)
       where exists (select from webhook_digests d where d.closes_at <= clock_timestamp())
      union all
      select (select d.org_id from webhook_digests d where d.org_id > one.org_id order by d.org_id, d.closes_at limit 1)
        from counting one where one.org_id is not null
    )
    select one.org_id from counting one
     where one.org_id is not null
       and exists (select from webhook_digests d where d.org_id = one.org_id and d.closes_at <= clock_timestamp())
     limit most;
  end;
revoke all on function orgs_with_closing_digests(uuid, integer) from public;
grant execute on function orgs_with_closing_digests(uuid, integer) to weir_app;
