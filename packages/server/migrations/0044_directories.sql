set local lock_timeout = '5s';

-- Tokens with which directories provision an organization's members by SCIM, and nothing else. The secret has 256 random bits, so a
-- plain hash of it tells nothing.
create table scim_tokens (
  org_id uuid not null references orgs (id) check (org_id <> '00000000-0000-0000-0000-000000000000'),
  id uuid not null,
  name text not null check (length(name) between 1 and 200),
  digest bytea not null check (length(digest) = 32),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (org_id, id)
);
create unique index scim_tokens_id on scim_tokens (id);
create index scim_tokens_created on scim_tokens (org_id, created_at, id);
create index scim_tokens_revoked on scim_tokens (revoked_at) where revoked_at is not null;
call protect_tenant_table('scim_tokens');
create policy authentication on scim_tokens for all to current_user using (true);
grant select, insert on scim_tokens to weir_app;
grant update (revoked_at) on scim_tokens to weir_app;
insert into pruned_rows values ('scim_tokens', $$t.revoked_at < clock_timestamp() - interval '90 days'$$);

-- The organization behind a token of a directory, and how it stands.
create function directory_of_token(wanted uuid) returns table (
  id uuid, org_id uuid, digest bytea, revoked_at timestamptz, org_status text, ip_allow_list text[], required_dimensions text[],
  read_rpm integer, on_unavailable text, policies jsonb
)
  language sql stable security definer set search_path = public
  begin atomic
    select t.id, t.org_id, t.digest, t.revoked_at, o.status, o.ip_allow_list, o.required_dimensions, r.read_rpm, r.on_unavailable,
           coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match,
                                                         'amount', p.amount, 'window_seconds', p.window_seconds) order by p.id)
                       from rate_limit_policies p where p.org_id = t.org_id), '[]')
      from scim_tokens t join orgs o on o.id = t.org_id
      left join org_rate_limits r on r.org_id = t.org_id
     where t.id = wanted;
  end;
revoke execute on function directory_of_token(uuid) from public;
grant execute on function directory_of_token(uuid) to weir_app;

create function touch_scim_tokens(ids uuid[], times timestamptz[]) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update scim_tokens s set last_used_at = greatest(s.last_used_at, t.used_at)
      from unnest(ids, times) t (id, used_at) where s.id = t.id;
  end;
revoke execute on function touch_scim_tokens(uuid[], timestamptz[]) from public;
grant execute on function touch_scim_tokens(uuid[], timestamptz[]) to weir_app;

-- Which roles members have by their groups, in the order in which rules are tried.
create table directory_roles (
  org_id uuid primary key references orgs (id),
  rules jsonb not null,
  default_role text not null check (default_role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
call protect_tenant_table('directory_roles');
grant select, insert, update on directory_roles to weir_app;

-- Members whom a directory keeps: their user name in the form in which two are compared, and what it says of them beyond the membership.
create table directory_users (
  org_id uuid not null,
  member_id uuid not null,
  user_name_key text not null check (length(user_name_key) <= 1000),
  attributes jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, member_id),
  foreign key (org_id, member_id) references memberships (org_id, id) on delete cascade
);
create unique index directory_users_name on directory_users (org_id, user_name_key);
call protect_tenant_table('directory_users');
grant select, insert, update, delete on directory_users to weir_app;
create index memberships_external on memberships (org_id, external_id) where external_id is not null;

-- Groups of a directory, by whose names rules give roles.
create table scim_groups (
  org_id uuid not null references orgs (id),
  id uuid not null,
  display_name text not null check (length(display_name) between 1 and 200),
  name_key text not null check (length(name_key) <= 1000),
  external_id text check (length(external_id) <= 254),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id)
);
create unique index scim_groups_name on scim_groups (org_id, name_key);
call protect_tenant_table('scim_groups');
grant select, insert, update, delete on scim_groups to weir_app;

create table scim_group_members (
  org_id uuid not null,
  group_id uuid not null,
  member_id uuid not null,
  primary key (org_id, group_id, member_id),
  foreign key (org_id, group_id) references scim_groups (org_id, id) on delete cascade,
  foreign key (org_id, member_id) references memberships (org_id, id) on delete cascade
);
create index scim_group_members_member on scim_group_members (org_id, member_id);
call protect_tenant_table('scim_group_members');
grant select, insert, delete on scim_group_members to weir_app;
