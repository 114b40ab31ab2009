set local lock_timeout = '5s';

-- Usage is told apart by the key that made the run as well. First, because building the keys takes longest and keeps nobody
-- but readers of usage waiting. A worker of the version before cannot fold beside this: it fails and changes nothing, what it
-- leaves is counted as before, and the next worker folds it.
alter table usage_15m add column key_id text not null default '';
alter table usage_15m drop constraint usage_15m_pkey,
  add primary key (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id);
alter table usage_days add column key_id text not null default '';
alter table usage_days drop constraint usage_days_pkey,
  add primary key (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id);
alter table usage_deltas add column key_id text not null default '';

-- The key, or the support grant, that made a hold, a run or a movement; both are null in rows from before. The lineage of a
-- hold's key is kept where it is not the key itself: who may end a hold is decided by it, without another look.
alter table holds add column key_id uuid, add column grant_id uuid, add column lineage_id uuid;
alter table runs add column key_id uuid, add column grant_id uuid;
alter table movements add column key_id uuid, add column grant_id uuid;

-- Ending what another key made takes a scope of its own from now on. Keys of owners and admins that write runs could do so
-- before, and keep it.
update api_keys set scopes = scopes || 'runs:manage'::text, updated_at = clock_timestamp()
 where role in ('owner', 'admin') and 'runs:write' = any (scopes) and not 'runs:manage' = any (scopes);
