set local lock_timeout = '5s';

-- What was asked for can be read afterwards: a replay stays for as long as the deliveries that it has made.
alter table webhook_replays
  add column from_at timestamptz,
  add column to_at timestamptz,
  add column event_count integer,
  add column told_count integer not null default 0,
  add column finished_at timestamptz;

create or replace function replays_waiting(most integer) returns table (org_id uuid, id uuid)
  language sql stable security definer set search_path = public
begin atomic
  select r.org_id, r.id from webhook_replays r where r.finished_at is null order by r.id limit most;
end;

create index webhook_replays_waiting on webhook_replays (id) where finished_at is null;
create index webhook_replays_listed on webhook_replays (org_id, subscription_id, id);

insert into pruned_rows values ('webhook_replays', $$t.finished_at < clock_timestamp() - interval '30 days'$$);
create policy pruning on webhook_replays for all to current_user using (true);

-- The packs of all customers, in the order of the list.
create index packs_of_customers on packs (org_id, created_at, id) where owner <> '';
