set local lock_timeout = '5s';

-- Limits on the runs that an organization, or a part of it, has at once. Their period is the one in which refusals are counted; the
-- runs themselves are counted in a row without a period.
alter table limits
  drop constraint limits_kind_check,
  add constraint limits_kind_check check (kind in ('spend_cap', 'budget', 'plan', 'budget_default', 'concurrency')) not valid,
  drop constraint limits_unit_check,
  add constraint limits_unit_check check (unit in ('usd', 'runs', 'tokens', 'concurrent_runs')) not valid,
  drop constraint limits_scope_kind_check,
  add constraint limits_scope_kind_check
    check (scope_kind in ('org', 'department', 'workflow', 'deployment') or (scope_kind = 'customer' and kind = 'concurrency')) not valid;
alter table limits validate constraint limits_kind_check;
alter table limits validate constraint limits_unit_check;
alter table limits validate constraint limits_scope_kind_check;

create or replace function allowance_is_over(a allowances) returns boolean
  language sql stable
  return case
    when a.period_end is not null then a.period_end < clock_timestamp() - interval '400 days'
    when a.kind = 'credits' then not exists (select from packs p where p.org_id = a.org_id and p.owner = a.subject and p.id = a.limit_id)
    when a.kind = 'concurrency' then not exists (select from limits l where l.org_id = a.org_id and l.id = a.limit_id)
    when a.kind = 'approval' then not exists (select from approvals g where g.org_id = a.org_id and g.id = a.limit_id)
    when a.kind in ('known_customer', 'known_department', 'known_workflow', 'known_deployment') then not exists (
      select from usage_dimension_values v
       where v.org_id = a.org_id and v.dimension = substr(a.kind, 7) || '_id' and v.value = a.subject)
    else false end;
