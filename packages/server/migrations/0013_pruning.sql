set local lock_timeout = '5s';

-- Tables whose rows go one by one, and what a row must be to go. A later migration adds its tables here.
create table pruned_rows (
  parent text primary key,
  is_over text not null
);
grant select on pruned_rows to weir_app;
insert into pruned_rows values
  ('refusal_counts', $$t.day < (clock_timestamp() at time zone 'UTC')::date - 400$$),
  ('threshold_events', $$t.at < clock_timestamp() - interval '400 days' and not exists (
     select from allowances a where a.org_id = t.org_id and a.key = t.key and (a.period_end is null or a.period_end > clock_timestamp()))$$),
  -- The latest result of a suite and model counts, however old it is.
  ('eval_results', $$t.created_at < clock_timestamp() - interval '400 days' and exists (
     select from eval_results n where n.org_id = t.org_id and n.suite = t.suite and n.model = t.model
        and coalesce(n.provider, '') = coalesce(t.provider, '') and (n.measured_at, n.id) > (t.measured_at, t.id))$$),
  ('eval_expiries', $$not exists (select from eval_results e where e.org_id = t.org_id and e.id = t.eval_id)$$),
  ('approvals', $$t.status <> 'pending' and greatest(t.expires_at, t.updated_at) < clock_timestamp() - interval '400 days'$$),
  -- Top-ups do not end.
  ('packs', $$t.owner <> '' and least(t.voided_at, t.expires_at) < clock_timestamp() - interval '400 days'$$),
  ('limits', $$t.ended_at < clock_timestamp() - interval '400 days'$$),
  ('support_grants', $$t.expires_at < clock_timestamp() - interval '400 days'$$),
  ('unpriced_models', $$t.last_seen_at < clock_timestamp() - interval '400 days'$$),
  -- What they would tell has been dropped.
  ('webhook_pending', $$t.created_at < clock_timestamp() - interval '32 days'$$),
  ('usage_customer_days', $$t.day < (clock_timestamp() at time zone 'UTC')::date - 800$$),
  ('usage_days', $$t.bucket < clock_timestamp() - interval '3653 days'$$),
  ('usage_dimension_values', $$t.last_seen_on < (clock_timestamp() at time zone 'UTC')::date - 90$$);

create index refusal_counts_day on refusal_counts using brin (day);
create index threshold_events_at on threshold_events using brin (at);
create index usage_customer_days_day on usage_customer_days using brin (day);
create index usage_days_bucket on usage_days using brin (bucket);

-- Forced row-level security binds the owner too, in whose name the following run.
create policy pruning on refusal_counts for all to current_user using (true);
create policy pruning on threshold_events for all to current_user using (true);
create policy pruning on eval_results for all to current_user using (true);
create policy pruning on eval_expiries for all to current_user using (true);
create policy pruning on approvals for all to current_user using (true);
create policy pruning on packs for all to current_user using (true);
create policy pruning on limits for all to current_user using (true);
create policy pruning on support_grants for all to current_user using (true);
create policy pruning on unpriced_models for all to current_user using (true);
create policy pruning on webhook_pending for all to current_user using (true);
create policy pruning on usage_customer_days for all to current_user using (true);
create policy pruning on usage_days for all to current_user using (true);
create policy pruning on ledger_batches for select to current_user using (true);

drop function prune_usage_dimension_values(integer);

-- Deletes some of the rows of a table that are over; says how many.
create function prune_rows(parent text, most integer) returns bigint
  language plpgsql security definer set search_path = public as $$
declare
  rule text := (select p.is_over from pruned_rows p where p.parent = prune_rows.parent);
  gone bigint;
begin
  if rule is null then raise exception 'not a table whose rows are pruned: %', parent; end if;
  execute format(
    'delete from %I t where t.ctid = any (array(select t.ctid from %I t where %s limit %s for update skip locked))',
    parent, parent, rule, most
  );
  get diagnostics gone = row_count;
  return gone;
end
$$;
revoke execute on function prune_rows(text, integer) from public;
grant execute on function prune_rows(text, integer) to weir_app;

-- What an allowance counted is over: its period ended long ago, or what it belongs to is forgotten.
create function allowance_is_over(a allowances) returns boolean
  language sql stable
  return case
    when a.period_end is not null then a.period_end < clock_timestamp() - interval '400 days'
    when a.kind = 'credits' then not exists (select from packs p where p.org_id = a.org_id and p.owner = a.subject and p.id = a.limit_id)
    when a.kind = 'approval' then not exists (select from approvals g where g.org_id = a.org_id and g.id = a.limit_id)
    when a.kind = 'known_customer' then not exists (
      select from usage_dimension_values v
       where v.org_id = a.org_id and v.dimension = 'customer_id' and v.value = a.subject)
    else false end;
revoke execute on function allowance_is_over(allowances) from public;

-- Walks through the allowances in the order of their key, some at a time. One goes only under the lock of its organization, and when
-- the batch that wrote it last has been dropped, so that no check of the books misses it. The lock is a statement of its own: what is
-- looked at after it is looked at under it.
create function prune_allowances(after_org uuid, after_key uuid, most integer, out gone bigint, out last_org uuid, out last_key uuid)
  language plpgsql security definer set search_path = public as $$
declare
  locked uuid[];
begin
  gone := 0;
  select l.org_id, l.key into last_org, last_key from (
    select a.org_id, a.key from allowances a where (a.org_id, a.key) > (after_org, after_key)
     order by a.org_id, a.key limit most) l order by l.org_id desc, l.key desc limit 1;
  if last_org is null then return; end if;
  select array_agg(o.org_id) into locked from (
    select l.org_id from org_ledgers l where l.org_id in (
      select a.org_id from allowances a
       where (a.org_id, a.key) > (after_org, after_key) and (a.org_id, a.key) <= (last_org, last_key) and allowance_is_over(a))
     order by l.org_id for no key update skip locked) o;
  if locked is null then return; end if;
  delete from allowances a
   where (a.org_id, a.key) > (after_org, after_key) and (a.org_id, a.key) <= (last_org, last_key) and a.org_id = any (locked)
     and a.held = 0 and allowance_is_over(a)
     and not exists (select from ledger_batches b where b.org_id = a.org_id and b.seq = a.last_seq);
  get diagnostics gone = row_count;
end
$$;
revoke execute on function prune_allowances(uuid, uuid, integer) from public;
grant execute on function prune_allowances(uuid, uuid, integer) to weir_app;
