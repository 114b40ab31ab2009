set local lock_timeout = '5s';

-- Limits by user, key, provider, model and tag beside the scopes before, and budgets of two scopes together: the second one is in
-- and_kind and and_id.
alter table limits
  add column and_kind text,
  add column and_id text,
  drop constraint limits_scope_kind_check,
  add constraint limits_scope_kind_check check (
    scope_kind in ('org', 'department', 'workflow', 'deployment', 'user', 'key', 'provider', 'model', 'tag')
    or (scope_kind = 'customer' and kind = 'concurrency')) not valid,
  add constraint limits_and_check check (
    (and_kind is null) = (and_id is null)
    and (and_kind is null or (kind = 'budget' and scope_kind <> 'org' and and_kind <> scope_kind and and_id <> ''
      and and_kind in ('department', 'workflow', 'deployment', 'customer', 'user', 'key', 'provider', 'model', 'tag')))) not valid;
alter table limits validate constraint limits_scope_kind_check;
alter table limits validate constraint limits_and_check;
