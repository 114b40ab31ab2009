set local lock_timeout = '5s';

-- How often the organization has changed its home: of two cells that call themselves its home, the one with the higher number is.
alter table orgs add column home_epoch bigint not null default 1 check (home_epoch > 0);

-- Whether the organization behind the id of a key, a support grant, a session, a token of a directory, or the organization itself may be
-- served from elsewhere. It tells a cell nothing more.
create function directory_entry(wanted uuid) returns table (residency text, home_epoch bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select o.residency, o.home_epoch
      from orgs o
     where o.id = coalesce(
       (select k.org_id from api_keys k where k.id = wanted),
       (select g.org_id from support_grants g where g.id = wanted),
       (select s.org_id from sessions s where s.id = wanted),
       (select t.org_id from scim_tokens t where t.id = wanted),
       wanted);
  end;
revoke execute on function directory_entry(uuid) from public;
grant execute on function directory_entry(uuid) to weir_app;
