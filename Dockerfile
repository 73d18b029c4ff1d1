# An image that runs reeve: `docker build -t reeve . && docker run --rm reeve` shows the demo.
FROM debian:12 AS build
COPY . /reeve
RUN cd /reeve && ./setup package

FROM debian:12-slim
COPY --from=build /reeve/build/release/reeve_*_amd64.deb /tmp/
RUN dpkg -i /tmp/reeve_*_amd64.deb && rm /tmp/reeve_*_amd64.deb
WORKDIR /work
ENTRYPOINT ["reeve"]
CMD ["demo"]
