set local lock_timeout = '5s';

-- New values of a dimension a day that usage tells apart; null is the installation's default.
alter table orgs add column max_new_values_per_day integer check (max_new_values_per_day > 0);

-- The values that usage tells apart, by dimension. A day brings a bounded number of new ones; all others are counted as
-- '(other)', whose own row says on which day that was told last. Written by whoever folds an organization's usage, under its lock.
create table usage_dimension_values (
  org_id uuid not null,
  dimension text not null,
  value text collate "C" not null,
  first_seen_on date not null,
  last_seen_on date not null,
  primary key (org_id, dimension, value)
);
create index usage_dimension_values_first_seen_on on usage_dimension_values (org_id, dimension, first_seen_on);
create index usage_dimension_values_last_seen_on on usage_dimension_values using brin (last_seen_on);

-- Values that are in use today are no new ones tomorrow.
create policy attributing on usage_customer_days for select to current_user using (true);
insert into usage_dimension_values (org_id, dimension, value, first_seen_on, last_seen_on)
  select u.org_id, v.dimension, v.value, min(u.bucket at time zone 'UTC')::date, max(u.bucket at time zone 'UTC')::date
    from usage_15m u cross join lateral (values
      ('model', u.model), ('provider', u.provider), ('workflow_id', u.workflow_id), ('deployment_id', u.deployment_id),
      ('department_id', u.department_id)) as v (dimension, value)
   where v.value not in ('', '(other)') group by 1, 2, 3
  union all
  select c.org_id, 'customer_id', c.customer_id, min(c.day), max(c.day)
    from usage_customer_days c where c.day > (now() at time zone 'UTC')::date - 90 and c.customer_id <> '(other)' group by 1, 3;

call protect_tenant_table('usage_dimension_values');
grant select, insert, update on usage_dimension_values to weir_app;

-- Values that nobody has used for 90 days, some at a time.
create function prune_usage_dimension_values(most integer) returns bigint
  language sql security definer set search_path = public
  begin atomic
    with old as (
      select v.org_id, v.dimension, v.value from usage_dimension_values v
       where v.last_seen_on < (clock_timestamp() at time zone 'UTC')::date - 90 limit most for update skip locked),
    gone as (
      delete from usage_dimension_values v using old
       where v.org_id = old.org_id and v.dimension = old.dimension and v.value = old.value returning 1)
    select count(*) from gone;
  end;
revoke execute on function prune_usage_dimension_values(integer) from public;
grant execute on function prune_usage_dimension_values(integer) to weir_app;
create policy pruning on usage_dimension_values for all to current_user using (true);
