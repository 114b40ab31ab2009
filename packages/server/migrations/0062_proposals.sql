set local lock_timeout = '5s';

-- Changes of limits that a key has asked for, and what a person decided. A proposal changes nothing until then.
create table proposals (
  org_id uuid not null references orgs (id),
  id uuid not null,
  status text not null check (status in ('pending', 'approved', 'denied')),
  kind text not null check (kind in ('budget_increase', 'budget')),
  -- The budget that is to be increased; once a new one is approved, that one.
  budget_id uuid,
  budget_name text not null,
  -- What is asked for, in the terms of the API.
  wanted jsonb not null,
  -- The budget as it was when more was asked for: one that has changed since is not overwritten.
  standing jsonb,
  reason text not null,
  -- What makes two proposals the same one.
  fingerprint bytea not null,
  requested_by uuid not null,
  decided_by_member uuid,
  decided_at timestamptz,
  note text,
  -- Of what is pending: when nobody is waited for any longer. Of what was denied: how long that stands.
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create index proposals_of_key on proposals (org_id, requested_by, fingerprint, id);
create index proposals_created_at on proposals (org_id, created_at, id);
create index proposals_pending on proposals (org_id, expires_at) where status = 'pending';
create index proposals_ended on proposals (updated_at);
call protect_tenant_table('proposals');
grant select, insert, update on proposals to weir_app;
create policy pruning on proposals for all to current_user using (true);
insert into pruned_rows values ('proposals', $$t.updated_at < clock_timestamp() - interval '400 days'$$);
