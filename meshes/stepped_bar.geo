// A bar of 1 m along x whose second half is thicker. `group: thin` and `group: thick` select one half, no group selects
// both. To generate stepped_bar.msh:  gmsh -1 -format msh41 stepped_bar.geo
Point(1) = {0, 0, 0};
Point(2) = {0.5, 0, 0};
Point(3) = {1, 0, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Transfinite Curve {1} = 21;
Transfinite Curve {2} = 31;
Physical Point("left") = {1};
Physical Point("step") = {2};
Physical Point("right") = {3};
Physical Curve("thin") = {1};
Physical Curve("thick") = {2};
