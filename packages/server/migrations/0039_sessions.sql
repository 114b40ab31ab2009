set local lock_timeout = '5s';

-- Sessions of browsers. A session acts as the key or the support grant with which its owner signed in, and ends with it.
-- Its secret has 256 random bits, so a plain hash of it tells nothing.
create table sessions (
  org_id uuid not null references orgs,
  id uuid not null,
  key_id uuid,
  grant_id uuid,
  digest bytea not null check (length(digest) = 32),
  address text not null,
  user_agent text not null check (length(user_agent) <= 300),
  idle_seconds integer not null check (idle_seconds > 0),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (org_id, id),
  check (num_nonnulls(key_id, grant_id) = 1)
);
create unique index sessions_id on sessions (id);
create index sessions_owner on sessions (org_id, coalesce(key_id, grant_id), created_at, id);
create index sessions_end on sessions (expires_at);
call protect_tenant_table('sessions');
create policy authentication on sessions for all to current_user using (true);
grant select, insert, delete on sessions to weir_app;
grant update (revoked_at, idle_seconds, expires_at) on sessions to weir_app;

-- The caller behind a token: a key, a support grant, or a session of one of them.
create function caller_of_token(wanted uuid) returns table (
  token_id uuid, kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb,
  session_digest bytea, session_idle_seconds integer, session_last_used_at timestamptz, session_expires_at timestamptz,
  session_revoked_at timestamptz
)
  language sql stable security definer set search_path = public
  begin atomic
    select wanted, c.*, null::bytea, null::integer, null::timestamptz, null::timestamptz, null::timestamptz
      from caller_by_id(wanted) c
    union all
    select s.id, c.*, s.digest, s.idle_seconds, s.last_used_at, s.expires_at, s.revoked_at
      from sessions s cross join lateral caller_by_id(coalesce(s.key_id, s.grant_id)) c
     where s.id = wanted;
  end;
revoke execute on function caller_of_token(uuid) from public;
grant execute on function caller_of_token(uuid) to weir_app;

create function touch_sessions(ids uuid[], times timestamptz[]) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update sessions s set last_used_at = greatest(s.last_used_at, t.used_at)
      from unnest(ids, times) t (id, used_at) where s.id = t.id;
  end;
revoke execute on function touch_sessions(uuid[], timestamptz[]) from public;
grant execute on function touch_sessions(uuid[], timestamptz[]) to weir_app;

-- An ended session is remembered for a while, so that its cookie is told apart from one that never was.
insert into pruned_rows values ('sessions', $$t.expires_at < clock_timestamp() - interval '30 days'$$);
