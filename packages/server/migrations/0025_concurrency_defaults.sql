set local lock_timeout = '5s';

-- How many runs each department, workflow, deployment, customer, user or key has at once that has no limit of its own. Their rows
-- count nothing once no run goes on, and are made again when one starts.
alter table limits
  drop constraint limits_kind_check,
  add constraint limits_kind_check
    check (kind in ('spend_cap', 'budget', 'plan', 'budget_default', 'concurrency', 'concurrency_default')) not valid,
  drop constraint limits_scope_kind_check,
  add constraint limits_scope_kind_check check (
    scope_kind in ('org', 'department', 'workflow', 'deployment', 'user', 'key', 'provider', 'model', 'tag')
    or (scope_kind = 'customer' and kind in ('concurrency', 'concurrency_default'))) not valid,
  drop constraint limits_scope_check,
  add constraint limits_scope_check
    check ((scope_kind = 'org' or kind in ('budget_default', 'concurrency_default')) = (scope_id = '')) not valid,
  drop constraint limits_default_check,
  add constraint limits_default_check check (
    (kind = 'budget_default') = (max_new_per_day is not null)
    and not (kind in ('budget_default', 'concurrency_default') and scope_kind = 'org')) not valid;
alter table limits validate constraint limits_kind_check;
alter table limits validate constraint limits_scope_kind_check;
alter table limits validate constraint limits_scope_check;
alter table limits validate constraint limits_default_check;

create or replace function allowance_is_over(a allowances) returns boolean
  language sql stable
  return case
    when a.period_end is not null then a.period_end < clock_timestamp() - interval '400 days'
    when a.kind = 'credits' then not exists (select from packs p where p.org_id = a.org_id and p.owner = a.subject and p.id = a.limit_id)
    when a.kind = 'concurrency' then not exists (select from limits l where l.org_id = a.org_id and l.id = a.limit_id)
    when a.kind = 'concurrency_default' then true
    when a.kind = 'approval' then not exists (select from approvals g where g.org_id = a.org_id and g.id = a.limit_id)
    when a.kind = 'known_key' then not exists (select from limits l where l.org_id = a.org_id and l.id = a.limit_id)
    when a.kind in ('known_customer', 'known_department', 'known_workflow', 'known_deployment', 'known_user') then not exists (
      select from usage_dimension_values v
       where v.org_id = a.org_id and v.dimension = substr(a.kind, 7) || '_id' and v.value = a.subject)
    else false end;
