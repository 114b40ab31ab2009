set local lock_timeout = '5s';

-- The key, grant or member as whom a link signs in, for whoever has the link. It is not used up.
create function owner_of_sign_in_link(wanted uuid, wanted_digest bytea) returns uuid
  language sql stable security definer set search_path = public
  begin atomic
    select coalesce(key_id, grant_id, member_id) from sign_in_links
     where id = wanted and digest = wanted_digest and expires_at > clock_timestamp();
  end;
revoke execute on function owner_of_sign_in_link(uuid, bytea) from public;
grant execute on function owner_of_sign_in_link(uuid, bytea) to weir_app;
