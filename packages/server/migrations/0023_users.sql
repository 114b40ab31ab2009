set local lock_timeout = '5s';

-- The person for whom a run was made, beside its other dimensions. Usage first, because building the keys takes longest and keeps
-- nobody but readers of usage waiting. A worker of the version before cannot fold beside this: it fails and changes nothing, what
-- it leaves is counted as before, and the next worker folds it.
alter table usage_15m add column user_id text not null default '';
alter table usage_15m drop constraint usage_15m_pkey,
  add primary key (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id);
alter table usage_days add column user_id text not null default '';
alter table usage_days drop constraint usage_days_pkey,
  add primary key (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id);
alter table usage_deltas add column user_id text not null default '';
alter table runs add column user_id text;
alter table refusals add column user_id text;

create or replace function allowance_is_over(a allowances) returns boolean
  language sql stable
  return case
    when a.period_end is not null then a.period_end < clock_timestamp() - interval '400 days'
    when a.kind = 'credits' then not exists (select from packs p where p.org_id = a.org_id and p.owner = a.subject and p.id = a.limit_id)
    when a.kind = 'concurrency' then not exists (select from limits l where l.org_id = a.org_id and l.id = a.limit_id)
    when a.kind = 'approval' then not exists (select from approvals g where g.org_id = a.org_id and g.id = a.limit_id)
    when a.kind = 'known_key' then not exists (select from limits l where l.org_id = a.org_id and l.id = a.limit_id)
    when a.kind in ('known_customer', 'known_department', 'known_workflow', 'known_deployment', 'known_user') then not exists (
      select from usage_dimension_values v
       where v.org_id = a.org_id and v.dimension = substr(a.kind, 7) || '_id' and v.value = a.subject)
    else false end;
