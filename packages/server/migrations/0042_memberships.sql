set local lock_timeout = '5s';

-- People in organizations. A person is an id that memberships have in common; whatever an organization knows of somebody is on its own
-- membership, so that no organization sees or changes what another has written down.
create table memberships (
  org_id uuid not null references orgs (id) check (org_id <> '00000000-0000-0000-0000-000000000000'),
  id uuid not null,
  person_id uuid not null,
  email text not null check (length(email) between 3 and 254),
  -- The address in the form in which two addresses are compared.
  email_key text not null,
  name text not null check (length(name) <= 200),
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  user_name text check (length(user_name) <= 254),
  external_id text check (length(external_id) <= 254),
  -- Who invited them; both are null for those whom a directory or an identity provider vouches for.
  invited_by_key uuid,
  invited_by_member uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  accepted_at timestamptz,
  deactivated_at timestamptz,
  removed_at timestamptz,
  primary key (org_id, id)
);
create unique index memberships_id on memberships (id);
create unique index memberships_email on memberships (org_id, email_key) where removed_at is null;
create unique index memberships_person on memberships (org_id, person_id) where removed_at is null;
create index memberships_of_person on memberships (person_id) where removed_at is null;
create index memberships_created on memberships (org_id, created_at, id);
create index memberships_removed on memberships (removed_at) where removed_at is not null;
call protect_tenant_table('memberships');
create policy authentication on memberships for all to current_user using (true);
grant select, insert, update on memberships to weir_app;
-- Remembered for longer than any cookie, so that the cookie of a removed member is told apart from one that never was.
insert into pruned_rows values ('memberships', $$t.removed_at < clock_timestamp() - interval '90 days'$$);

-- A key belongs to a person who answers for it, and its secret was shown to whoever minted it. It ends with either.
alter table api_keys add column owner_id uuid, add column minted_by_member uuid;
create index api_keys_of_owner on api_keys (org_id, owner_id) where owner_id is not null;
create index api_keys_minted_by_member on api_keys (org_id, minted_by_member) where minted_by_member is not null;

alter table sessions
  add column member_id uuid,
  add column way text not null default 'key' check (way in ('key', 'link', 'oidc', 'saml', 'passkey')),
  add column connection_id uuid,
  drop constraint sessions_check,
  add constraint sessions_check check (num_nonnulls(key_id, grant_id, member_id) = 1);
drop index sessions_owner;
create index sessions_owner on sessions (org_id, coalesce(key_id, grant_id, member_id), created_at, id);

alter table sign_in_links
  add column member_id uuid,
  drop constraint sign_in_links_check,
  add constraint sign_in_links_check check (num_nonnulls(key_id, grant_id, member_id) = 1);
drop index sign_in_links_owner;
create index sign_in_links_owner on sign_in_links (org_id, coalesce(key_id, grant_id, member_id), created_at, id);

create or replace function take_sign_in_link(wanted uuid, wanted_digest bytea) returns uuid
  language sql volatile security definer set search_path = public
  begin atomic
    delete from sign_in_links
     where id = wanted and digest = wanted_digest and expires_at > clock_timestamp()
    returning coalesce(key_id, grant_id, member_id);
  end;

-- What an organization demands of its people beyond their sessions' length.
alter table session_policies add column sso text not null default 'optional' check (sso in ('optional', 'required'));

-- Keys of owners and admins that manage keys may manage people, who stand beside keys.
alter table api_keys no force row level security;
update api_keys set scopes = scopes || array['members:read', 'members:write', 'sso:read', 'sso:write'], updated_at = clock_timestamp()
 where role in ('owner', 'admin') and 'keys:write' = any (scopes) and not 'members:write' = any (scopes);
update api_keys set scopes = scopes || array['members:read', 'sso:read'], updated_at = clock_timestamp()
 where role in ('owner', 'admin') and 'keys:read' = any (scopes) and not 'members:read' = any (scopes);
alter table api_keys force row level security;

drop function caller_of_token(uuid);
drop function caller_by_id(uuid);

-- The caller with an id: a key, a support grant, or a member of an organization, who has no token but that of a session.
create function caller_by_id(wanted uuid) returns table (
  kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb
)
  language sql stable security definer set search_path = public
  begin atomic
    with caller as (
      select 'key' as kind, k.org_id, k.id, k.lineage_id, k.role, k.scopes, k.pins, k.mac, k.mac_key_id, k.not_before,
             k.expires_at, k.revoked_at, null::text as grant_scope, null::uuid as operator_key_id, null::uuid as person_id,
             null::text as email, k.org_id as listed_by
        from api_keys k where k.id = wanted
      union all
      select 'support', g.org_id, g.id, g.id, 'operator', '{}', '{}', g.mac, g.mac_key_id, null, g.expires_at,
             coalesce(g.revoked_at, (select k.revoked_at from api_keys k where k.id = g.operator_key_id)), g.scope,
             g.operator_key_id, null, null, '00000000-0000-0000-0000-000000000000'
        from support_grants g where g.id = wanted
      union all
      select 'person', m.org_id, m.id, m.id, m.role, '{}', '{}', decode(repeat('00', 32), 'hex'), '', null, null,
             coalesce(m.removed_at, m.deactivated_at), null, null, m.person_id, m.email, m.org_id
        from memberships m where m.id = wanted
    )
    select c.kind, c.org_id, c.id, c.lineage_id, c.role, c.scopes, c.pins, c.mac, c.mac_key_id, c.not_before, c.expires_at,
           c.revoked_at, c.grant_scope, c.operator_key_id, c.person_id, c.email,
           o.status, l.ip_allow_list, o.required_dimensions, o.home_region, o.residency, r.read_rpm, r.on_unavailable,
           coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match,
                                                         'amount', p.amount, 'window_seconds', p.window_seconds) order by p.id)
                       from rate_limit_policies p where p.org_id = c.org_id), '[]')
      from caller c join orgs o on o.id = c.org_id join orgs l on l.id = c.listed_by
      left join org_rate_limits r on r.org_id = c.org_id;
  end;
revoke execute on function caller_by_id(uuid) from public;
grant execute on function caller_by_id(uuid) to weir_app;

-- The caller behind a token: a key, a support grant, or a session of one of them or of a person.
create function caller_of_token(wanted uuid) returns table (
  token_id uuid, kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb,
  session_digest bytea, session_idle_seconds integer, session_last_used_at timestamptz, session_expires_at timestamptz,
  session_revoked_at timestamptz, session_created_at timestamptz, session_way text, session_connection_id uuid
)
  language sql stable security definer set search_path = public
  begin atomic
    select wanted, c.*, null::bytea, null::integer, null::timestamptz, null::timestamptz, null::timestamptz, null::timestamptz, null::text,
           null::uuid
      from caller_by_id(wanted) c
    union all
    select s.id, c.*, s.digest, s.idle_seconds, s.last_used_at, s.expires_at, s.revoked_at, s.created_at, s.way, s.connection_id
      from sessions s cross join lateral caller_by_id(coalesce(s.key_id, s.grant_id, s.member_id)) c
     where s.id = wanted;
  end;
revoke execute on function caller_of_token(uuid) from public;
grant execute on function caller_of_token(uuid) to weir_app;
