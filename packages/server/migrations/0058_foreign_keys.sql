set local lock_timeout = '5s';

-- Keys of another gateway that stand for keys of ours for a limited time. Its clients keep them: all that is known of one is the SHA-256 of
-- its text, kept as a keyed hash, so that a dump cannot be searched for guesses.
create table foreign_keys (
  org_id uuid not null references orgs,
  id uuid not null,
  key_id uuid not null,
  mac bytea not null check (length(mac) = 32),
  mac_key_id text not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  uses bigint not null default 0 check (uses >= 0),
  last_used_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id),
  foreign key (org_id, key_id) references api_keys (org_id, id)
);
create unique index foreign_keys_mac on foreign_keys (mac, org_id);
create unique index foreign_keys_key on foreign_keys (org_id, key_id);
create index foreign_keys_created on foreign_keys (org_id, created_at, id);
call protect_tenant_table('foreign_keys');
create policy authentication on foreign_keys for select to current_user using (true);
grant select, insert on foreign_keys to weir_app;
grant update (ended_at, uses, last_used_at, mac, mac_key_id, updated_at) on foreign_keys to weir_app;

-- The caller behind a foreign key, by any of the hashes that it may be kept as. One that several organizations have at once is nobody's:
-- whose client presents it cannot be told, and each must not learn of the other. Of those that have ended, the latest says so.
create function caller_of_foreign_key(wanted bytea[]) returns table (
  foreign_id uuid, foreign_mac_key_id text, foreign_ends_at timestamptz,
  token_id uuid, kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb,
  session_digest bytea, session_idle_seconds integer, session_last_used_at timestamptz, session_expires_at timestamptz,
  session_revoked_at timestamptz, session_created_at timestamptz, session_way text, session_connection_id uuid
)
  language sql stable security definer set search_path = public
  begin atomic
    with claims as (
      select f.id, f.key_id, f.mac_key_id, least(f.ends_at, f.ended_at) as ends_at,
             k.revoked_at is null and least(f.ends_at, f.ended_at, k.expires_at) > clock_timestamp() as is_live
        from foreign_keys f join api_keys k on k.org_id = f.org_id and k.id = f.key_id
       where f.mac = any (wanted)
    ), chosen as (
      select * from claims
       where is_live or not exists (select from claims c where c.is_live)
       order by ends_at desc, id limit 1
    )
    select f.id, f.mac_key_id, f.ends_at, c.*
      from chosen f cross join lateral caller_of_token(f.key_id) c
     where (select count(*) from claims where is_live) <= 1;
  end;
revoke execute on function caller_of_foreign_key(bytea[]) from public;
grant execute on function caller_of_foreign_key(bytea[]) to weir_app;

-- Makes what processes remember of foreign keys stale where other organizations have them too. It says nothing about these.
create function contest_foreign_keys(own uuid, wanted bytea[]) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    select record_access_change(others.org_id)
      from (select distinct f.org_id from foreign_keys f where f.mac = any (wanted) and f.org_id <> own order by f.org_id) others;
  end;
revoke execute on function contest_foreign_keys(uuid, bytea[]) from public;
grant execute on function contest_foreign_keys(uuid, bytea[]) to weir_app;
